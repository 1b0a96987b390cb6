import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { delay, systemClock } from '../../shared/clock.ts';
import { pinpadCommand } from '../built-package.ts';
import { testWith } from '../optional-programs.ts';
import { TmuxSession } from './tmux-session.ts';

const program = pinpadCommand();

/** Resolves to the content of a file, as soon as the file is there and complete. */
async function written(file: string): Promise<string> {
  const until = systemClock.now() + 20_000;
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') {
    if (systemClock.now() > until) throw new Error(`${file} was never written`);
    await delay(systemClock, 30);
  }
  return readFileSync(file, 'utf8');
}

testWith('tmux')('closing the window stops the program as a stop does', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-closed-window-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [data, stderr, code] = [join(folder, 'data'), join(folder, 'stderr'), join(folder, 'code')];
  const window = new TmuxSession(
    `closed-${process.pid}`,
    { columns: 80, rows: 24 },
    // The shell ignores the end of the window, so that it can report how the program ended.
    `trap '' HUP; '${process.execPath}' '${program}' up --data '${data}' --port 0 --pacing instant 2>'${stderr}'; echo $? >'${code}'`,
  );
  onTestFinished(() => window.close());
  await window.shows('Visa credit');
  expect(existsSync(join(data, 'running.json'))).toBe(true);
  window.close();
  expect((await written(code)).trim()).toBe('0');
  expect(readFileSync(stderr, 'utf8')).toBe('');
  expect(existsSync(join(data, 'running.json'))).toBe(false);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { pinpadCommand } from '../built-package.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { TmuxSession } from './tmux-session.ts';

const program = pinpadCommand();
const test = testWith('tmux');
let window: TmuxSession | undefined;
let folder: string | undefined;
afterEach(() => {
  window?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** Runs two scenarios with `pinpad run` in a window. Afterwards the window shows the exit code. */
function runInWindow(name: string, options: string): TmuxSession {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-run-tui-'));
  const scenario = (title: string) =>
    `name: ${title}\nsteps:\n  - pay: 10\n    key: k\n  - tap: phone\n  - expect: success\n`;
  writeFileSync(join(folder, 'a.yaml'), scenario('First of two'));
  writeFileSync(join(folder, 'b.yaml'), scenario('Second of two'));
  const command = `cd '${folder}'; '${process.execPath}' '${program}' run . ${options}; echo code $?; cat`;
  window = new TmuxSession(`${name}-${process.pid}`, { columns: 80, rows: 24 }, command);
  return window;
}

testThoroughly('tmux')(
  'scenarios on the screen show their steps, follow the window size, and end with the summary',
  async () => {
    const terminal = runInWindow('run-tui', '--tui');
    await terminal.shows('First of two: tap: phone');
    terminal.resize(100, 30);
    await terminal.shows((lines) => lines.length === 30 && lines[29]?.includes('q quit') === true);
    await terminal.shows('First of two: passed');
    await terminal.shows('Second of two: expect: success');
    const end = await terminal.shows('code 0');
    expect(end).toContain('2 passed');
    expect(end).not.toContain('q quit');
    expect(terminal.flag('alternate_on')).toBe('0');
  },
  60_000,
);

test('the key q leaves the screen, reports what was run, and ends with 130', async () => {
  const terminal = runInWindow('run-quit', '--tui');
  await terminal.shows('First of two: tap: phone');
  terminal.press('q');
  const end = await terminal.shows('code 130');
  expect(end).toContain('1 passed, 1 not run');
  expect(terminal.flag('alternate_on')).toBe('0');
  expect(terminal.flag('cursor_flag')).toBe('1');
}, 60_000);

testThoroughly('tmux')(
  'in a slow run, a line below the steps shows the progress of the run',
  async () => {
    const terminal = runInWindow('run-slow', '--slow');
    await terminal.shows(/tap: phone\n0 of 2 · First of two/);
    await terminal.shows(/pay: 10[\s\S]*1 of 2 · Second of two/);
    terminal.press('C-c');
    const end = await terminal.shows('code 130');
    expect(end).toContain('2 passed');
    expect(end).not.toContain('of 2 ·');
  },
  60_000,
);

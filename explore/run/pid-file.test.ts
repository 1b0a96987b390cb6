import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { findProgram } from '../../test/find-program.ts';
import { killByPidFile, type RunBeginning, runBeginningAt } from './pid-file.ts';

const begunAt = systemClock.now();
const begun = runBeginningAt(begunAt);

function file(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-pid-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'pos.pid');
  writeFileSync(path, text);
  return path;
}

function child() {
  const made = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  onTestFinished(() => void made.kill('SIGKILL'));
  return made;
}

test('the process in a pid file of this run is ended', async () => {
  const pos = child();
  const ended = once(pos, 'exit');
  killByPidFile(file(`${pos.pid}\n`), begun);
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test.each([
  ['1', 'must contain a process id above 1'],
  ['-1', 'must contain a process id above 1'],
  ['12 13', 'must contain a process id above 1'],
  ['', 'must contain a process id above 1'],
  ['9'.repeat(40), 'must contain only a process id'],
  [String(process.pid), 'is "pinpad explore" itself'],
  [String(process.ppid), 'is "pinpad explore" itself, or a process that started "pinpad explore"'],
])('the pid file %j is refused, and no process is ended', (text, why) => {
  expect(() => killByPidFile(file(text), begun)).toThrow(why);
});

test('a pid file of an earlier run, a link and a missing file are refused', () => {
  const pos = child();
  const old = file(String(pos.pid));
  const hourAgo = (begunAt - 3_600_000) / 1_000;
  utimesSync(old, hourAgo, hourAgo);
  expect(() => killByPidFile(old, begun)).toThrow('was not written in this run');
  const link = `${old}.link`;
  symlinkSync(file(String(pos.pid)), link);
  expect(() => killByPidFile(link, begun)).toThrow('is not a regular file');
  expect(() => killByPidFile(`${old}.none`, begun)).toThrow('is not a regular file');
  expect(pos.exitCode).toBeNull();
});

test.runIf(findProgram('ps') !== undefined)(
  'without /proc, a process that began before the run or is gone is refused too',
  async () => {
    const pos = child();
    const path = file(String(pos.pid));
    // On Linux, `ps` computes a start time from the time since boot, so the start time may be wrong by seconds.
    const [earlier, later] = [-60_000, 60_000].map((ms) => ({ ...begun, at: begun.at + ms })) as [
      RunBeginning,
      RunBeginning,
    ];
    const fresh = file(String(pos.pid));
    utimesSync(fresh, later.at / 1_000, later.at / 1_000);
    expect(() => killByPidFile(fresh, later, 'darwin')).toThrow('started before this run');
    const ended = once(pos, 'exit');
    killByPidFile(path, earlier, 'darwin');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(() => killByPidFile(path, earlier, 'darwin')).toThrow(`there is no process ${pos.pid}`);
  },
);

test.runIf(process.platform === 'linux')(
  'a process that began before the run is refused, and so is one that is gone',
  async () => {
    const pos = child();
    const path = file(String(pos.pid));
    const later = { ...begun, ticks: begun.ticks + 360_000 };
    expect(() => killByPidFile(path, later)).toThrow('started before this run');
    expect(pos.exitCode).toBeNull();
    const gone = once(pos, 'exit');
    pos.kill('SIGKILL');
    await gone;
    expect(() => killByPidFile(path, begun)).toThrow(`there is no process ${pos.pid}`);
  },
);

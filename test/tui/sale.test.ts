import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished } from 'vitest';
import { defaultCards } from '../../terminal-emulator/cards/default-cards.ts';
import { pinpadCommand } from '../built-package.ts';
import { testThoroughly, testWith } from '../optional-programs.ts';
import { TmuxSession } from './tmux-session.ts';

/** Tests `pinpad up` in a real pseudo-terminal, as a newcomer sees it. */

const test = testWith('tmux');
let window: TmuxSession | undefined;
afterEach(() => window?.close());

const command = `'${process.execPath}' '${pinpadCommand()}' up --port 0`;

/** Opens a shell at 80×24 and starts the program in it. */
async function shell(name: string, start = `${command} --memory`): Promise<TmuxSession> {
  const opened = new TmuxSession(
    `${name}-${process.pid}`,
    { columns: 80, rows: 24 },
    `env PS1='ready> ' ENV= sh`,
  );
  window = opened;
  await opened.shows('ready>');
  opened.type(`echo before; ${start}; echo "exit code $?"`);
  opened.press('Enter');
  await opened.shows('Ready');
  return opened;
}

/**
 * Draining takes at most 5 s (timeouts.shutdownMs). The remaining 4 s are for a busy machine, which may show the exit
 * code late.
 */
const exitsWithinMs = 9_000;

/** Checks that the shell is as it was before: its text, its cursor, and its echo. */
async function isRestored(terminal: TmuxSession): Promise<void> {
  const text = await terminal.shows('exit code 0', exitsWithinMs);
  expect(text).toContain('before');
  expect(terminal.flag('alternate_on')).toBe('0');
  expect(terminal.flag('cursor_flag')).toBe('1');
  expect(terminal.flag('mouse_any_flag')).toBe('0');
  expect(terminal.flag('keypad_flag')).toBe('0');
  terminal.type('stty -a');
  terminal.press('Enter');
  const settings = await terminal.shows('icanon');
  expect(settings).toMatch(/ icanon /);
  expect(settings).toMatch(/ echo /);
}

test('a sale is made at 80×24: tip 18 %, chip, PIN, approved, receipt on the screen', async () => {
  const terminal = await shell('sale');
  expect(terminal.flag('alternate_on')).toBe('1');
  terminal.press('a');
  await terminal.shows('Ring up a sale');
  terminal.type('43.30');
  await terminal.shows('43.30');
  terminal.press('Enter');
  await terminal.shows(/\[2\] 18%\s+€7\.79/);
  terminal.press('2');
  await terminal.shows(/Present card/i);
  terminal.press('i');
  await terminal.shows('Enter PIN');
  terminal.type('1234');
  await terminal.shows('****');
  terminal.press('Enter');
  await terminal.shows(/approved/i);
  await terminal.shows(/remove/i);
  terminal.press('r');
  await terminal.shows('Ready');
  terminal.press('v');
  const receipt = await terminal.shows('CARDHOLDER COPY');
  expect(receipt).toMatch(/\*{4}1111/);
  terminal.press('End');
  const total = await terminal.shows(/TOTAL\D+51[.,]09/);
  expect(total).toMatch(/Tip\D+7[.,]79/);

  terminal.resize(120, 40);
  await terminal.shows((lines) => lines.length === 40 && (lines[0]?.trimEnd().length ?? 0) > 110);
  terminal.press('Escape');
  await terminal.shows(`Cards 1/${defaultCards.length}`);
  terminal.resize(80, 24);
  await terminal.shows((lines) => lines.length === 24 && lines[23]?.trimEnd().endsWith('q quit') === true);
  terminal.press('q');
  await isRestored(terminal);
}, 60_000);

testThoroughly('tmux')(
  'SIGTERM shuts down properly: a recording is written, and the data are closed',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-signalled-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const data = join(folder, 'data');
    const terminal = await shell(
      'signalled',
      `cd '${folder}' && ${command} --pacing instant --data '${data}'`,
    );
    terminal.press('w');
    await terminal.shows(/record/i);
    terminal.press('a');
    await terminal.shows('Ring up a sale');
    terminal.type('10');
    terminal.press('Enter');
    await terminal.shows(/Add a tip/);
    process.kill(JSON.parse(readFileSync(join(data, 'running.json'), 'utf8')).pid, 'SIGTERM');
    await isRestored(terminal);
    expect(readdirSync(folder)).toContainEqual(expect.stringMatching(/\.yaml$/));
    expect(readdirSync(data).filter((name) => /-wal$|running/.test(name))).toEqual([]);
  },
  60_000,
);

testThoroughly('tmux')(
  'Ctrl-C during a payment restores the window',
  async () => {
    const terminal = await shell('ctrl-c', `${command} --memory --pacing instant`);
    terminal.press('a');
    await terminal.shows('Ring up a sale');
    terminal.type('10');
    terminal.press('Enter');
    await terminal.shows(/Add a tip/);
    terminal.press('C-c');
    await isRestored(terminal);
  },
  60_000,
);

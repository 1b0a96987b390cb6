import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { delay, systemClock } from '../../shared/clock.ts';
import { readRunningNote } from '../../stack/index.ts';
import { makeTemporaryFolder } from '../../terminal-emulator/readers/reader-harness.fixture.ts';
import { pinpadCommand } from '../built-package.ts';
import { testThoroughly } from '../optional-programs.ts';
import { TmuxSession } from '../tui/tmux-session.ts';
import {
  answersAbout,
  exportTracePage,
  findCardNumberForms,
  getText,
  readAllFilesIn,
  type SearchedGateway,
  searchedCardNumber,
} from './card-number-search.ts';

/** Tests a card reader that types like a keyboard into `pinpad up`, in a real pseudo-terminal. */

const test = testThoroughly('tmux');
const pinpad = `'${process.execPath}' '${pinpadCommand()}'`;
const track1 = `%B${searchedCardNumber}^TEST/CARD^49121011184500000000000?`;
const track2 = `;${searchedCardNumber}=49121011845888890000?`;
/**
 * The swipe as readers type it on computers with a German and a French keyboard layout, and as a reader without
 * sentinels types it.
 */
const foreign = [
  `ö${searchedCardNumber}´49121011845888890000_`,
  `m${[...searchedCardNumber].map((digit) => 'à&é"\'(-è_ç'[Number(digit)]).join('')}=é§`,
  `${searchedCardNumber}=49121011845888890000`,
];
const timeout = 120_000;

interface Entry {
  kind: string;
  data: Record<string, string>;
}

/** Opens a window with terminals, and returns the gateway that runs in it. */
async function setup(options = '') {
  const folder = makeTemporaryFolder();
  const data = join(folder, 'data');
  const stream = join(folder, 'stream');
  const window = new TmuxSession(
    `wedge-${process.pid}`,
    { columns: 120, rows: 40 },
    `${pinpad} up --data '${data}' --port 0 --pacing instant ${options}`,
  );
  onTestFinished(() => window.close());
  window.record(stream);
  await window.shows('Ready');
  const gateway = readRunningNote(data) as SearchedGateway;
  const journal = async (kind: string) => {
    const { entries } = JSON.parse(await getText(gateway, `/control/journal?limit=1000&kind=${kind}`)) as {
      entries: Entry[];
    };
    return entries.map((entry) => entry.data);
  };
  /** Every captured content of the window, oldest first. */
  const seen: string[] = [];
  let swipes = 0;
  /** Swipes a card. Resolves when the journal contains the swipe. */
  const swipe = async (typed: string) => {
    window.type(typed);
    window.press('Enter');
    swipes++;
    while ((await journal('reader.event')).length < swipes) await delay(systemClock, 30);
    seen.push(window.lines().join('\n'));
  };
  const ringUp = async (amount: string, tip: boolean) => {
    window.press('a');
    await window.shows('─ Ring up a sale ─');
    window.type(amount);
    await window.shows(`[${amount}`);
    const wanted = tip ? /\(●\) yes/ : /\(●\) no/;
    if (!wanted.test(window.lines().join('\n'))) window.press('Tab');
    await window.shows(wanted);
    window.press('Enter');
  };
  return { window, folder, data, stream, gateway, journal, seen, swipe, ringUp };
}

test('a sale in a terminal window is paid by a card at a reader that types', { timeout }, async () => {
  const { window, ringUp, journal } = await setup();
  for (const [amount, typed] of [
    ['12.50', track1 + track2],
    ['13.60', track1],
    ['14.70', track2],
  ] as const) {
    await ringUp(amount, false);
    await window.shows('Present card');
    window.type(typed);
    window.press('Enter');
    await window.shows(`APPROVED EUR ${amount}`);
    await window.shows('Ready');
  }
  expect(await journal('terminal.key')).toEqual([]);
  const answers = (await journal('http.answered')).map((entry) => JSON.stringify(entry));
  expect(answers.filter((answer) => answer.includes('476173 **** 0010'))).toHaveLength(3);
});

test('a number that a reader types at any screen is in no file, picture, journal entry, trace or answer', {
  timeout,
}, async () => {
  const { window, folder, data, stream, gateway, journal, seen, swipe, ringUp } = await setup();
  await swipe(track1 + track2);
  seen.push(await window.shows('swiped, but the terminal is not asking for a card'));
  for (const [key, shown] of [
    ['/', 'Cards'],
    ['?', 'Help'],
    ['j', 'Journal'],
    ['v', 'receipt'],
    ['a', 'Ring up a sale'],
  ] as const) {
    window.press(key);
    await window.shows(shown);
    await swipe(track1 + track2);
    window.press('Escape');
    await window.shows('Ready');
  }
  window.press('d'); // the key `d` also shows the list of keys

  await ringUp('12.50', true);
  await window.shows('Add a tip?');
  for (const typed of [track2, ...foreign]) await swipe(typed);
  window.press('4');
  await window.shows('Tip');
  await swipe(track2);
  window.type('100');
  window.press('Enter');
  await window.shows('Present card');
  await swipe(`;${searchedCardNumber}`); // the rest of the swipe is cut off
  seen.push(await window.shows('no readable card track'));
  await swipe(`%${searchedCardNumber}`);
  window.press('i');
  await window.shows('Enter PIN');
  for (const typed of [track1 + track2, ...foreign]) await swipe(typed);
  window.type('1234');
  await window.shows('****');
  window.press('Enter');
  await window.shows(/APPROVED EUR 13\.50/);
  window.press('r');
  await window.shows('Ready');
  const keys = (await journal('terminal.key')).map(({ key }) => key);
  expect(keys).toEqual(['4', '1', '0', '0', 'enter', ...Array(4).fill('digit'), 'enter']);

  await ringUp('20', false);
  await window.shows('Present card');
  await swipe(track1 + track2);
  await window.shows('APPROVED EUR 20.00');
  const payments = JSON.parse(await getText(gateway, '/control/payments')) as { identifier: string }[];
  const answers: string[] = [];
  for (const { identifier } of payments) answers.push(...(await answersAbout(gateway, identifier)));
  const page = await exportTracePage(gateway, join(folder, 'trace.html'));
  window.press('q');
  while (readRunningNote(data)) await delay(systemClock, 30);
  expect(answers.length).toBeGreaterThan(10);
  expect(answers.join()).toContain('476173 **** 0010');
  for (const [where, text] of Object.entries({
    answers: answers.join('\n'),
    page,
    pictures: seen.join('\n'),
    stream: readFileSync(stream, 'latin1'),
  }))
    expect([where, findCardNumberForms(text)]).toEqual([where, []]);
  const files = readAllFilesIn(data);
  expect(files.some(({ text }) => text.includes('476173 **** 0010'))).toBe(true);
  expect(files.filter(({ text }) => findCardNumberForms(text).length > 0).map(({ name }) => name)).toEqual(
    [],
  );
});

test('if the wedge is switched off, a reader is an ordinary keyboard', { timeout }, async () => {
  const { window, journal } = await setup('--wedge off');
  window.press('/');
  window.type(';999?');
  await window.shows(';999?');
  expect(await journal('reader.event')).toEqual([]);
});

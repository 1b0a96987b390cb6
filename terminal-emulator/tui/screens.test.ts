import { expect, test } from 'vitest';
import { languages, screenStates } from '../../shared/emulator/screen.ts';
import { type DrawScreenOptions, drawScreen } from './drawn-screen.fixture.ts';
import { addPaymentEntries, FakeSource, fakeReceipts } from './fake-source.fixture.ts';

/**
 * Tests what a person sees. Blessed draws the screen into a terminal in memory. The text of this terminal is compared
 * with golden files.
 */

async function setup(options: DrawScreenOptions = {}, names?: string[]) {
  const source = new FakeSource(names);
  await addPaymentEntries(source);
  source.receiptList = fakeReceipts();
  const screen = await drawScreen(source, options);
  return { source, screen };
}

const sizes = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
];
const everyScreen = sizes.flatMap((size) => screenStates.map((state) => ({ ...size, state })));

test.each(everyScreen)('the golden screen $state at $columns x $rows', async ({ columns, rows, state }) => {
  const { source, screen } = await setup({ columns, rows });
  source.show(state);
  await screen.drawn();
  await expect(screen.text).toMatchFileSnapshot(`golden/${columns}x${rows}/${state}.golden.txt`);
});

const views: [name: string, keys: string[]][] = [
  ['help', ['?']],
  ['your-own-pos', ['?', '\t']],
  ['sale', ['a', '1', '2', '.', '3', '0']],
  ['sale-without-an-amount', ['a', '\r']],
  ['receipt', ['v']],
  ['receipt-cashier-copy', ['v', 'c', '\x1b[6~']],
  ['journal', ['j', 'd']],
  ['journal-filtered', ['j', '/', 'kind:terminal.', '\r']],
  ['entry', ['j', '\r']],
  ['troubles', ['f', '\x1b[B', 'a']],
  ['payments', ['l']],
  ['payment', ['l', '\r']],
  ['search', ['/', 'p', 'i', 'n', ' ', 'c', 'h', 'i', 'p']],
  ['search-without-a-card', ['/', 'z', 'z']],
  ['tray-scrolled', ['\x1b[6~', '\x1b[6~', '\x1b[B']],
];

test.each(views)('the golden screen %s at 80 x 24', async (name, keys) => {
  const { screen } = await setup();
  await screen.type(...keys);
  await expect(screen.text).toMatchFileSnapshot(`golden/80x24/view-${name}.golden.txt`);
});

test('the last line about payments shows a payment under way, whichever program requested it', async () => {
  const { source, screen } = await setup();
  const about = { terminal: 'V400m-347312390', payment: 'next' };
  source.journal.add('payment.accepted', { amount: 500, currency: 'EUR', requestId: 'r' }, about);
  source.show('presentCard', {
    payment: { amountMinor: 500, currency: 'EUR', entries: ['ICC', 'Contactless', 'MagStripe', 'Keyed'] },
  });
  await screen.drawn();
  await expect(screen.text).toMatchFileSnapshot('golden/80x24/view-under-way.golden.txt');
});

test('real card readers have their own rows, with advice about one that does not answer', async () => {
  const { source, screen } = await setup();
  const [first, ...others] = source.terminalList;
  const readers = [
    { name: 'pn532:/dev/ttyUSB0', ready: true, line: 'PN532 firmware 1.6 on /dev/ttyUSB0' },
    {
      name: 'ccid:/dev/ttyUSB1',
      ready: false,
      line: 'permission denied on /dev/ttyUSB1: sudo usermod -aG dialout $USER, then log in again',
    },
  ];
  if (first) source.terminalList = [{ ...first, readers }, ...others];
  source.show('presentCard');
  await screen.drawn();
  await expect(screen.text).toMatchFileSnapshot('golden/80x24/view-readers.golden.txt');
  await screen.type('\t');
  expect(screen.text).not.toContain('PN532');
});

test('a window that is too small says so, instead of showing half a terminal', async () => {
  const { screen } = await setup({ columns: 60, rows: 20 });
  await expect(screen.text).toMatchFileSnapshot('golden/too-small.golden.txt');
});

test('a locale without UTF-8 gets a screen of only ASCII', async () => {
  const { source, screen } = await setup({ env: { LANG: 'C' } }, ['Kiosk', '東京駅']);
  source.show('pin');
  await screen.drawn();
  expect(screen.text).toMatch(/^[\n -~]*$/);
  expect(screen.text).toContain('EUR 51.09');
  source.show('tip', { language: 'de' });
  await screen.drawn();
  expect(screen.text).toMatch(/18\s?% +7,79 EUR/);
  source.show('pin');
  await screen.drawn();
  await expect(screen.text).toMatchFileSnapshot('golden/ascii.golden.txt');
});

test('wide characters leave every column in its place', async () => {
  const { source, screen } = await setup({}, ['東京駅カフェ', '서울 카페', '☕ Café 👍']);
  source.show('presentCard', { storeName: '東京駅カフェ' });
  source.journal.add('warning', { message: '注文が届きました' }, { terminal: 'V400m-347312390' });
  await screen.drawn();
  await expect(screen.text).toMatchFileSnapshot('golden/wide-characters.golden.txt');
  source.show('idle', { storeName: 'Plain' });
  await screen.drawn();
  const right = screen.lines.slice(2, 16).map((line) => line.at(-1));
  expect(new Set(right)).toEqual(new Set(['│']));
});

test('without colour no colour code is sent, and every mark is still there', async () => {
  const { source, screen } = await setup({ env: { NO_COLOR: '1' } });
  source.show('presentCard');
  await screen.drawn();
  const colours = Array.from(screen.sent.matchAll(/\x1b\[([\d;]*)m/g), ([, codes = '']) => codes)
    .flatMap((codes) => codes.split(';'))
    .filter((code) => /^(3\d|4\d|9\d|10\d)$/.test(code));
  expect(colours).toEqual([]);
  for (const mark of ['[i] insert', '[X Cancel', '▸', '[F1', '● network'])
    expect(screen.text).toContain(mark);
});

test('every golden screen fits its window', async () => {
  for (const { columns, rows } of sizes) {
    const { source, screen } = await setup({ columns, rows });
    for (const state of screenStates) {
      source.show(state, { language: 'de' });
      await screen.drawn();
      expect(screen.lines.filter((line) => line.length > columns)).toEqual([]);
      expect(screen.lines.at(-1)).toContain('q quit');
    }
  }
});

test.each(languages)('no text of the terminal is cut off in %s', async (language) => {
  const { source, screen } = await setup({ columns: 80, rows: 24 });
  const cut: string[] = [];
  for (const state of screenStates) {
    source.show(state, { language });
    await screen.drawn();
    const device = screen.lines.slice(2, 10).map((line) => line.slice(0, 40));
    if (device.some((line) => line.includes('…'))) cut.push(`${state}:\n${device.join('\n')}`);
  }
  expect(cut).toEqual([]);
});

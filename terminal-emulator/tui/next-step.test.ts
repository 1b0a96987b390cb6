import { expect, test } from 'vitest';
import type { ScreenState } from '../../shared/emulator/screen.ts';
import { commandUnderMouse } from './canvas.ts';
import { drawScreen } from './drawn-screen.fixture.ts';
import { FakeSource } from './fake-source.fixture.ts';
import { makeInitialState } from './state.ts';
import { theme } from './theme.ts';
import { drawTui } from './view.ts';

/**
 * Tests which actions the screen offers. The likely next action is highlighted, an action that would always fail is
 * not offered, and modes that are on are mentioned.
 */

const size = { columns: 80, rows: 24 };
const picture = (source: FakeSource) => drawTui(makeInitialState(source, size, true));
const rowsOf = (source: FakeSource) => picture(source).cells.map((row) => row.map(({ ch }) => ch).join(''));

/** Returns the text of all cells that have this style. */
function drawnIn(source: FakeSource, style: object): string {
  return picture(source)
    .cells.flat()
    .filter((cell) => cell.style === style)
    .map(({ ch }) => ch)
    .join('');
}

function changed(source: FakeSource, changes: object): FakeSource {
  source.terminalList = source.terminalList.map((terminal) => ({ ...terminal, ...changes }));
  return source;
}

test.each([
  ['idle', 'a sale'],
  ['off', 'p power on'],
  ['presentCard', 'i insert'],
  ['removeCard', 'r remove card'],
] as [ScreenState, string][])('at the screen %s the brightest button is %s', (state, button) => {
  const source = new FakeSource();
  source.show(state);
  expect(drawnIn(source, theme.primary).trim()).toBe(button);
});

test('the key Power is highlighted only if the terminal is off', () => {
  const source = new FakeSource();
  expect(drawnIn(source, theme.keyLive)).not.toContain('Power');
  source.show('off');
  expect(drawnIn(source, theme.keyLive)).toContain('Power');
});

test('the sentence that says what to do next is not faint', () => {
  expect(drawnIn(new FakeSource(), theme.next)).toContain('Press a to ring up a sale');
  expect(theme.next).toEqual({ bold: true });
});

test.each(['j', 'l', 'f', 'v', 'a', '?', '/'])(
  'the line above the terminal (%s) names no key that does not work there',
  async (key) => {
    const screen = await drawScreen(new FakeSource());
    expect(screen.text).toContain('Press a to ring up a sale');
    await screen.type(key);
    expect(screen.text).not.toContain('Press a to ring up a sale');
  },
);

test.each(['off', 'offline', 'presentCard', 'removeCard', 'pin', 'authorizing'] as const)(
  'the screen %s, at which a sale always fails, does not offer a sale',
  (state) => {
    const source = new FakeSource();
    source.show(state);
    expect(rowsOf(source).at(-1)).not.toContain('a sale');
  },
);

test('a sale that is started there anyway says that it will fail, and why', async () => {
  const source = new FakeSource();
  source.show('off');
  const screen = await drawScreen(source);
  await screen.type('a');
  expect(screen.text).toContain('It would fail now: the terminal is off');
});

test('after the cable was pulled, the footer offers to plug it in again', () => {
  const source = changed(new FakeSource(), { networkUp: false });
  source.show('offline');
  expect(rowsOf(source).at(-1)).toContain('n plug in');
  expect(rowsOf(source).at(-2)).toContain('n puts it back in');
  source.show('presentCard');
  expect(rowsOf(source).at(-1)).toContain('n plug in');
});

test('every mode that is on is named on the screen at 80 x 24, together with all others', () => {
  const shopper = { card: 'visa-credit', entry: 'ICC', tip: 'none', thinkMs: 0 } as const;
  const troubles = [{ id: 'silent', text: 'never answers', mode: 'once' }];
  const source = changed(new FakeSource(), { shopper, troubles, latencyMs: 800 });
  const wedge = { settings: { prefix: '', suffix: '' }, swipe: () => undefined };
  Object.assign(source, { wedge, recorder: { recording: true, toggle: async () => '' } });
  const [header, lamps] = rowsOf(source);
  for (const word of ['recording', 'shopper', 'faults', 'wedge']) expect(header).toContain(word);
  expect(lamps).toContain('network slow');
  expect(header).toContain('[F1 ');
  const at = (header ?? '').indexOf('shopper');
  expect(commandUnderMouse(picture(source), 'click', at, 0)).toEqual({ do: 'shopper' });
});

test('a mode that is off is not named', () => {
  const [header, lamps] = rowsOf(new FakeSource());
  expect(header).not.toMatch(/recording|shopper|faults|wedge/);
  expect(lamps).not.toContain('slow');
});

test('the help uses the same name for the control token as the rest, and lists the keys of the tip screen', async () => {
  const source = new FakeSource();
  const screen = await drawScreen(source);
  await screen.type('?');
  expect(screen.text).toMatch(/1-4 Enter +choose a tip; Enter: none/);
  await screen.click('Tab  your own POS');
  expect(screen.text).toMatch(new RegExp(`CONTROL_TOKEN +${source.facts.controlToken}`));
  const beliefs = new URL(source.facts.beliefsUrl ?? '').pathname;
  expect(screen.text).toMatch(new RegExp(`beliefs +${beliefs} `));
  await screen.type('\t');
  expect(screen.text).toContain('The selected card');
});

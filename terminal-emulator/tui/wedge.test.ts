import { expect, onTestFinished, test } from 'vitest';
import type { ScreenState } from '../../shared/emulator/screen.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { sampleCases } from '../../test/draws.ts';
import { typedSwipes } from '../readers/wedge/typed-swipes.fixture.ts';
import { drawScreen } from './drawn-screen.fixture.ts';
import { FakeSource } from './fake-source.fixture.ts';

/** Tests that the characters of a keyboard-wedge reader count as a swipe or as keys, whatever the screen shows. */

const number = '4761739001010010';
const tracks = `%B${number}^DOE/JOHN^49121011184500000000000?;${number}=49121011845888890000?`;
const [first, second] = ['V400m-347312390', 'V400m-347312391'];

async function setup({ wedge = true, refusal = undefined as string | undefined } = {}) {
  const source = new FakeSource();
  const swipes: [poiId: string, typed: string][] = [];
  if (wedge)
    Object.assign(source, {
      wedge: {
        settings: { prefix: '', suffix: '' },
        swipe: (poiId: string, typed: string) => {
          swipes.push([poiId, typed]);
          return refusal;
        },
      },
    });
  const clock = new VirtualClock({ startMs: 0 });
  const screen = await drawScreen(source, { clock });
  onTestFinished(async () => {
    await screen.type('\x03');
    await clock.advance(200);
  });
  const wait = async (ms: number) => {
    await clock.advance(ms);
    await screen.drawn();
  };
  return { source, screen, swipes, wait };
}

const states: ScreenState[] = [
  'idle',
  'tip',
  'customTip',
  'presentCard',
  'keyedNumber',
  'keyedExpiry',
  'pin',
];
test.each(states)('a swipe at the screen %s is read as a swipe, without any key', async (state) => {
  const { source, screen, swipes, wait } = await setup();
  source.show(state);
  await screen.type(`${tracks}\r`);
  await wait(3_000);
  expect(swipes).toEqual([[first, `${tracks}\r`]]);
  expect(source.done).toEqual([]);
  expect(screen.sent).not.toContain('4761');
});

test.each([
  ['the amount of a sale', 'a', 'Ring up a sale'],
  ['the search for a card', '/', '/'],
  ['the help', '?', 'Help'],
  ['the journal', 'j', 'Journal'],
  ['the receipt', 'v', 'Receipt'],
])('a swipe while %s is open is read as a swipe, too', async (_name, key, shown) => {
  const { source, screen, swipes, wait } = await setup();
  source.show('pin');
  await screen.type(key);
  await wait(70);
  const before = screen.text;
  expect(before).toContain(shown);
  for (const character of `${tracks}\r`) {
    await screen.type(character);
    await wait(3);
  }
  await wait(3_000);
  expect(swipes).toEqual([[first, `${tracks}\r`]]);
  expect(source.done).toEqual([]);
  expect(screen.text).toBe(before);
});

test('a swipe goes to the terminal in view', async () => {
  const { screen, swipes, wait } = await setup();
  await screen.type('\t', `${tracks}\r`);
  await wait(200);
  expect(swipes).toEqual([[second, `${tracks}\r`]]);
});

test('a swipe without an effect is reported', async () => {
  const { screen, wait } = await setup({ refusal: 'Ignored what was typed faster than by hand' });
  await screen.type(`${tracks}\r`);
  await wait(200);
  expect(screen.text).toContain('Ignored what was typed faster than by hand');
});

test('keys in the chunk of a swipe, or after Alt+[, are keys, and the swipe is still read', async () => {
  const { source, screen, swipes, wait } = await setup();
  source.show('pin');
  await screen.type(`12${tracks}\r3`);
  await wait(3_000);
  source.done.length = 0;
  await screen.type('\x1b[', `${tracks}\r`);
  await wait(3_000);
  expect(swipes).toEqual([
    [first, `${tracks}\r`],
    [first, `${tracks}\r`],
  ]);
  expect(source.done).toEqual([{ poiId: first, action: 'press', keys: ['cancel'] }]);
  expect(screen.sent).not.toContain('4761');
});

test('typed keys go to the terminal 70 ms after the last one, in order (B207)', async () => {
  const { source, screen, wait } = await setup();
  source.show('pin');
  await screen.type('1', '2');
  await wait(69);
  expect(source.done).toEqual([]);
  await wait(1);
  expect(source.done).toEqual(['1', '2'].map((key) => ({ poiId: first, action: 'press', keys: [key] })));
  source.done.length = 0;
  await screen.type('1', ';', '2\r');
  await wait(110);
  const pressed = ['1', '2', 'enter'].map((key) => ({ poiId: first, action: 'press', keys: [key] }));
  expect(source.done).toEqual(pressed);
});

/**
 * The screens on which the characters of a swipe could be confused with typing, and the keys that open each screen.
 */
const places: [name: string, state: ScreenState, keys: string][] = [
  ['PIN', 'pin', ''],
  ['tip', 'tip', ''],
  ['tip that is typed', 'customTip', ''],
  ['keyed entry', 'keyedNumber', ''],
  ['amount of a sale', 'idle', 'a'],
  ['search for a card', 'presentCard', '/'],
  ['filter of the journal', 'presentCard', 'j/'],
];
test.each(places)(
  'no swipe of any layout is shown or read as keys at the %s (B207)',
  async (_name, state, keys) => {
    for (const everyMs of sampleCases([8, 15, 40, 60], 4)) {
      const { source, screen, swipes, wait } = await setup({ refusal: 'Ignored' });
      source.show(state);
      if (keys) await screen.type(keys);
      await wait(100);
      const before = screen.text;
      for (const [name, typed] of typedSwipes) {
        // While the user types a card number, digits without other characters count as keys.
        if (state === 'keyedNumber' && /^\d+\r$/.test(typed)) continue;
        for (const character of typed) {
          await screen.type(character);
          await wait(everyMs);
        }
        await wait(3_000);
        expect([name, everyMs, source.done]).toEqual([name, everyMs, []]);
        expect(swipes.length).toBeGreaterThan(0);
        swipes.length = 0;
      }
      expect(screen.text.split('\n').slice(0, 18)).toEqual(before.split('\n').slice(0, 18));
    }
  },
);

test.each([
  ['an amount', 'a', '43.30', '[43.30'],
  ['a reference of eleven digits', '/', 'order-20261124000', 'order-20261124000'],
  ['words for the journal', 'j/', 'order-7 kind:http', 'order-7 kind:http'],
])('%s that is typed in one chunk counts as typed (B207)', async (_name, key, typed, shown) => {
  const { screen, swipes, wait } = await setup();
  await screen.type(`${key}${typed}`);
  await wait(70);
  expect(screen.text).toContain(shown);
  expect(swipes).toEqual([]);
});

test('pasted text counts as typed, even if it looks like a swipe or its end mark is lost (B208)', async () => {
  const { screen, swipes, wait } = await setup();
  expect(screen.sent).toContain('\x1b[?2004h');
  await screen.type('j', '/', '\x1b[200~order-202611240001\x1b[201~');
  await wait(0);
  expect(screen.text).toContain('order-202611240001');
  await screen.type('\x15', '\x1b[200~order-2026', '11240002');
  expect(screen.text).toContain('order-202611240002');
  await wait(1_000);
  await screen.type('\x15', '999999999999=1');
  await wait(1_000);
  expect(screen.text).not.toContain('9999');
  expect(swipes).toEqual([[first, '999999999999=1']]);
  await screen.type('\x03');
  expect(screen.sent).toContain('\x1b[?2004l');
});

test('a pasted number counts as keys if the terminal asks for one, and as a swipe in a search (B208)', async () => {
  const { source, screen, swipes, wait } = await setup();
  source.show('keyedNumber');
  await screen.type('4111111111111111\r');
  await wait(70);
  const pressed = source.done.map((done) => (done as { keys: string[] }).keys[0]);
  expect(pressed).toEqual([...'4111111111111111', 'enter']);
  expect(swipes).toEqual([]);
  await screen.type('/');
  await wait(70);
  await screen.type('4111111111111111\r');
  await wait(3_000);
  expect(swipes).toHaveLength(1);
  expect(screen.sent).not.toContain('4111111111111111');
});

test('if the wedge is switched off, everything counts as keys', async () => {
  const { source, screen, swipes } = await setup({ wedge: false });
  source.show('pin');
  await screen.type(';47');
  expect(source.done).toEqual(['4', '7'].map((key) => ({ poiId: first, action: 'press', keys: [key] })));
  expect(swipes).toEqual([]);
});

import { expect, onTestFinished, test } from 'vitest';
import type { ScreenState } from '../../shared/emulator/screen.ts';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { drawScreen } from './drawn-screen.fixture.ts';
import { FakeSource } from './fake-source.fixture.ts';

/** What a keyboard-wedge reader types into the screen, whatever the screen shows. */

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
test.each(states)('a swipe at the screen %s is a swipe, without any key', async (state) => {
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
])('a swipe while %s is open is one, too', async (_name, key, shown) => {
  const { source, screen, swipes, wait } = await setup();
  source.show('pin');
  await screen.type(key);
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

test('a card is swiped on the terminal in view', async () => {
  const { screen, swipes, wait } = await setup();
  await screen.type('\t', `${tracks}\r`);
  await wait(200);
  expect(swipes).toEqual([[second, `${tracks}\r`]]);
});

test('what came to nothing is said', async () => {
  const { screen, wait } = await setup({ refusal: 'Ignored what was typed faster than by hand' });
  await screen.type(`${tracks}\r`);
  await wait(200);
  expect(screen.text).toContain('Ignored what was typed faster than by hand');
});

test('keys in the chunk of a swipe, pasted or behind Alt+[, are keys, and the swipe is one', async () => {
  const { source, screen, swipes, wait } = await setup();
  source.show('pin');
  await screen.type(`12${tracks}\r3`, '\x1b[', `\x1b[200~${tracks}\x1b[201~`);
  await wait(3_000);
  source.done.length = 0;
  await screen.type('\x1b[', `${tracks}\r`);
  await wait(3_000);
  expect(swipes).toEqual([
    [first, `${tracks}\r`],
    [first, tracks],
    [first, `${tracks}\r`],
  ]);
  expect(source.done).toEqual([{ poiId: first, action: 'press', keys: ['cancel'] }]);
  expect(screen.sent).not.toContain('4761');
});

test('keys of a hand go to the terminal at once', async () => {
  const { source, screen, wait } = await setup();
  source.show('pin');
  await screen.type('1', ';', '2');
  expect(source.done).toEqual([{ poiId: first, action: 'press', keys: ['1'] }]);
  await wait(110);
  expect(source.done).toEqual(['1', '2'].map((key) => ({ poiId: first, action: 'press', keys: [key] })));
});

test('switched off, what is typed is keys', async () => {
  const { source, screen, swipes } = await setup({ wedge: false });
  source.show('pin');
  await screen.type(';47');
  expect(source.done).toEqual(['4', '7'].map((key) => ({ poiId: first, action: 'press', keys: [key] })));
  expect(swipes).toEqual([]);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { StallingClock } from '../stalling-clock.fixture.ts';
import { typedSwipes } from './typed-swipes.fixture.ts';
import { WedgeRecogniser } from './wedge-recogniser.ts';
import { wedgeSettingsSchema } from './wedge-settings.ts';

/** Tests swipes whose tracks do not begin as on a US keyboard, and typed text that only looks like a swipe (B207). */

function setup(takesNumber = false) {
  const clock = new VirtualClock({ startMs: 0 });
  const keys: string[] = [];
  const swipes: string[] = [];
  const recogniser = new WedgeRecogniser({
    clock,
    settings: wedgeSettingsSchema.parse({}),
    key: (piece) => keys.push(piece),
    swipe: (tracks) => swipes.push(tracks),
    takesNumber: () => takesNumber,
  });
  const type = async (text: Iterable<string>, everyMs = 0) => {
    for (const piece of text) {
      recogniser.feed(piece);
      if (everyMs > 0) await clock.advance(everyMs);
    }
  };
  return { clock, keys, swipes, type, recogniser };
}

test.each(typedSwipes)(
  '%s: none of it counts as a key, at any speed of a reader (B207)',
  async (_name, typed) => {
    for (const everyMs of [0, 1, 8, 15, 40, 60])
      for (const takesNumber of [false, true]) {
        // While the screen asks for a card number, a text that has only digits counts as keys, not as a swipe.
        if (takesNumber && /^\d+\r$/.test(typed)) continue;
        const { clock, keys, swipes, type } = setup(takesNumber);
        await type(typed, everyMs);
        await clock.advance(3_000);
        expect({ everyMs, keys }).toEqual({ everyMs, keys: [] });
        expect(swipes.length).toBeGreaterThan(0);
      }
  },
);

/** The characters that the keys 1 to 9 and 0 type in other layouts. */
test.each([
  ['French', '&é"\'(-è_çà'],
  ['Belgian', '&é"\'(§è!çà'],
  ['French of AFNOR', 'àéèê()‘’«»'],
  ['bépo', '"«»()@+-/*'],
  ['Czech', '+ěščřžýáíé'],
  ['Slovak', '+ľščťžýáíé'],
  ['Hungarian', '123456789ö'],
  ['Lithuanian', 'ąčęėįšųū90'],
  ['Thai', 'ๅ/-ภถุึคตจ'],
])('a number of all digits on a system in %s does not count as keys (B207)', async (_name, row) => {
  const keys = [...row];
  const typed = [...'5425233430109903258'].map((digit) => keys[(Number(digit) + 9) % 10]).join('');
  for (const everyMs of [0, 8, 60]) {
    const { clock, keys, swipes, type } = setup();
    await type(`${typed}\r`, everyMs);
    await clock.advance(3_000);
    expect({ everyMs, keys, swipes: swipes.length }).toEqual({ everyMs, keys: [], swipes: 1 });
  }
});

test.each([
  ['an amount', '43.30'],
  ['a PIN and Enter', '1234\r'],
  ['a search for the journal', 'order-7 kind:http'],
  ['a reference with few digits', 'order-20261124\r'],
  ['eleven digits', '20261124000'],
  ['two rows of digits', '123456 654321 12\r34567890\r'],
  ['a line of dashes', `${'-'.repeat(40)} x\r`],
  ['one digit often and Enter', `${'0'.repeat(16)}\r`],
  ['words with a sentinel among them', 'kind:a;12 100% (+1)!'],
  ['letters of other languages', 'Příšerně žluťoučký kůň, ça déjà, größer'],
])('%s in one chunk counts as keys, in order (B207)', async (_name, typed) => {
  const { clock, keys, swipes, type } = setup();
  await type(typed);
  await clock.advance(70);
  expect({ keys: keys.join(''), swipes }).toEqual({ keys: typed, swipes: [] });
});

test('keys are held back for at most 70 ms after the last one (B207)', async () => {
  const { clock, keys, type } = setup();
  await type('12', 40);
  await clock.advance(29);
  expect(keys).toEqual([]);
  await clock.advance(1);
  expect(keys).toEqual(['1', '2']);
});

test('digits that a person types count as keys, however many they are (B207)', async () => {
  for (const everyMs of [71, 80, 100, 200]) {
    const { clock, keys, swipes, type } = setup();
    await type('4761739001010010\r', everyMs);
    await clock.advance(70);
    expect({ everyMs, keys: keys.join(''), swipes }).toEqual({
      everyMs,
      keys: '4761739001010010\r',
      swipes: [],
    });
  }
});

test('a digit that is held down counts as keys, which arrive while it is held (B207)', async () => {
  const { clock, keys, swipes, type } = setup();
  await type('0'.repeat(60), 33);
  expect(keys).toHaveLength(60);
  await type('\r5');
  await clock.advance(70);
  expect({ keys: keys.join(''), swipes }).toEqual({ keys: `${'0'.repeat(60)}\r5`, swipes: [] });
});

test('Enter, arrows and Backspace pass at once if nothing is held back, and otherwise in order', async () => {
  const { clock, keys, type } = setup();
  const other = ['\r', '\x7f', '\x7f', '\x1b[A', '\x1b', '\x1b[<0;3;4M'];
  await type(other);
  expect(keys).toEqual(other);
  keys.length = 0;
  await type(['1', '2', '\x7f', '3', '\x1b[A', '\r', '\x1b']);
  expect(keys).toEqual([]);
  await clock.advance(70);
  expect(keys).toEqual(['1', '2', '\x7f', '3', '\x1b[A', '\r', '\x1b']);
});

test('fewer than 12 characters without a pause count as keys at any speed, and none is lost (B207)', async () => {
  const piece = fc.constantFrom(
    '1',
    '5',
    '0',
    'a',
    'é',
    '-',
    ' ',
    '\r',
    '\t',
    '\x7f',
    '\x1b[A',
    '\x1b[<0;3;4M',
    '中',
  );
  const row = fc.record({
    pieces: fc.array(piece, { minLength: 1, maxLength: 11 }),
    everyMs: fc.integer({ min: 0, max: 69 }),
    pauseMs: fc.integer({ min: 70, max: 400 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 8 }), async (rows) => {
      const { clock, keys, swipes, type } = setup();
      for (const { pieces, everyMs, pauseMs } of rows) {
        await type(pieces, everyMs);
        await clock.advance(pauseMs);
      }
      expect({ keys, swipes }).toEqual({ keys: rows.flatMap(({ pieces }) => pieces), swipes: [] });
    }),
    { seed: 1, numRuns: 200 },
  );
});

test('a number that repeats a digit twelve times counts as a swipe (B207)', async () => {
  const { clock, keys, swipes, type } = setup();
  await type('ö5555555555554444´27122011845888890000_\r', 8);
  await type('5555555555554444=27122011845888890000\r', 8);
  await clock.advance(2_000);
  expect({ keys, swipes: swipes.length }).toEqual({ keys: [], swipes: 2 });
});

test('if a card number is asked for, digits alone are keys, and digits that continue as a track are a swipe (B208)', async () => {
  const { clock, keys, swipes, type } = setup(true);
  await type('4111111111111111\r1230\r');
  await clock.advance(70);
  expect({ keys: keys.join(''), swipes }).toEqual({ keys: '4111111111111111\r1230\r', swipes: [] });
  keys.length = 0;
  await type('4111111111111111=30121010000000000\r', 8);
  await clock.advance(2_000);
  expect(keys).toEqual([]);
  expect(swipes).toHaveLength(1);
});

test('a pause in a swipe without sentinels lets none of it through as keys', async () => {
  const [, typed] = typedSwipes.find(([name]) => name === 'German, track 2') ?? ['', ''];
  for (let at = 13; at < typed.length; at++)
    for (const pauseMs of [110, 300, 450]) {
      const { clock, keys, type } = setup();
      await type(typed.slice(0, at), 8);
      await clock.advance(pauseMs);
      await type(typed.slice(at), 8);
      await clock.advance(3_000);
      expect([at, pauseMs, keys]).toEqual([at, pauseMs, []]);
    }
});

test('a PIN that follows a swipe without sentinels and its Enter counts as keys', async () => {
  const { clock, keys, swipes, type } = setup();
  await type('ö4761739001010010´27122011845888890000_\r1234\r');
  await clock.advance(110);
  expect({ keys: keys.join(''), swipes: swipes.length }).toEqual({ keys: '1234\r', swipes: 1 });
});

test('text typed soon after a swipe without sentinels or Enter counts as keys again', async () => {
  const { clock, keys, swipes, type } = setup();
  await type('order-202611240001');
  await clock.advance(600);
  await type('order-7');
  await clock.advance(100);
  expect({ keys: keys.join(''), swipes }).toEqual({ keys: 'order-7', swipes: ['order-202611240001'] });
});

test('a character that arrived in time and is read a little late belongs to its swipe', () => {
  const clock = new StallingClock();
  const keys: string[] = [];
  const recogniser = new WedgeRecogniser({
    clock,
    settings: wedgeSettingsSchema.parse({}),
    key: (piece) => keys.push(piece),
    swipe: () => {},
  });
  for (const character of '4761739001010010') {
    recogniser.feed(character);
    for (let part = 0; part < 4; part++) clock.stall(14);
    clock.stall(16);
  }
  expect(keys).toEqual([]);
});

test('held keys can be released before an action that needs them', async () => {
  const { clock, keys, recogniser, type } = setup();
  await type('20');
  recogniser.settle();
  expect(keys).toEqual(['2', '0']);
  await clock.advance(70);
  expect(keys).toEqual(['2', '0']);
});

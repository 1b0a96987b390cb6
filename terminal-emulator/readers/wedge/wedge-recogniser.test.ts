import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../../shared/virtual-clock.ts';
import { StallingClock } from '../stalling-clock.fixture.ts';
import { WedgeRecogniser } from './wedge-recogniser.ts';
import { type WedgeSettings, wedgeSettingsSchema } from './wedge-settings.ts';

const number = '4761739001010010';
const track1 = `%B${number}^DOE/JOHN Q^27122011184500000000000?`;
const track2 = `;${number}=27122011845888890000?`;
const plain = wedgeSettingsSchema.parse({});

function setup(settings: WedgeSettings = plain, clock = new VirtualClock({ startMs: 0 })) {
  const keys: string[] = [];
  const swipes: string[] = [];
  const recogniser = new WedgeRecogniser({
    clock,
    settings,
    key: (piece) => keys.push(piece),
    swipe: (tracks) => swipes.push(tracks),
  });
  const feed = (pieces: string | readonly string[]) => {
    for (const piece of pieces) recogniser.feed(piece);
  };
  /** Types as a reader does, with `pauseMs` between two characters. */
  const type = async (pieces: string | readonly string[], pauseMs: number) => {
    for (const piece of pieces) {
      recogniser.feed(piece);
      await clock.advance(pauseMs);
    }
  };
  return { clock, keys, swipes, feed, type };
}

test.each([
  ['both tracks', `${track1}${track2}\r`, `${track1}${track2}\r`],
  ['track 1 alone', `${track1}\r`, `${track1}\r`],
  ['track 2 alone', `${track2}\r`, `${track2}\r`],
  ['all three', `${track1}${track2}+01${number}=724?\r`, `${track1}${track2}+01${number}=724?\r`],
  ['Enter behind each', `${track1}\r${track2}\r`, `${track1}\r${track2}\r`],
  ['Tab at the end', `${track2}\t`, `${track2}\r`],
  ['no Enter at all', `${track1}${track2}`, `${track1}${track2}`],
  ['check characters', `${track1}A${track2}5\r`, `${track1}A${track2}5\r`],
  ['a check character like a sentinel', `${track1};${track2}%\r`, `${track1};${track2}%\r`],
  ['tracks the reader could not read', '%E?;E?+E?\r', '%E?;E?+E?\r'],
  ['Caps Lock', `${track1.toLowerCase()}\r`, `${track1.toLowerCase()}\r`],
])('%s: all of it is one swipe, without any key', async (_name, typed, tracks) => {
  for (const pauseMs of [0, 1, 8, 40]) {
    const { clock, keys, swipes, type } = setup();
    await type(typed, pauseMs);
    await clock.advance(2_000);
    expect({ keys, swipes }).toEqual({ keys: [], swipes: [tracks] });
  }
});

test.each<[prefix: string, suffix: string, typed: string, tracks: string]>([
  ['~', '', `~${track2}\r`, `${track2}\r`],
  ['AB', '', `AB${track1}${track2}\r`, `${track1}${track2}\r`],
  ['', '#', `${track1}#${track2}#\r`, `${track1}\r${track2}\r\r`],
  ['<', '>', `<${track1}><${track2}>`, `${track1}\r\r${track2}\r`],
  ['\t', '\n', `\t${track2}\n`, `${track2}\r`],
])('prefix %j and suffix %j belong to the swipe', async (prefix, suffix, typed, tracks) => {
  const { clock, keys, swipes, type } = setup({ prefix, suffix });
  await type(typed, 5);
  await clock.advance(2_000);
  expect({ keys, swipes }).toEqual({ keys: [], swipes: [tracks] });
});

test('typed keys arrive in order, and a possible begin of a track is held back a little longer', async () => {
  const { clock, keys, swipes, feed } = setup();
  feed(['5', '\x1b[A', '\r', '\x7f']);
  await clock.advance(70);
  expect(keys).toEqual(['5', '\x1b[A', '\r', '\x7f']);
  keys.length = 0;
  feed(['%', '\x1b[B', '7']);
  await clock.advance(70);
  expect(keys).toEqual([]);
  await clock.advance(40);
  expect(keys).toEqual(['%', '\x1b[B', '7']);
  await clock.advance(2_000);
  feed('8');
  await clock.advance(70);
  expect(keys).toEqual(['%', '\x1b[B', '7', '8']);
  expect(swipes).toEqual([]);
});

test('a prefix that is followed by something else counts as typed', async () => {
  const { clock, keys, swipes, feed } = setup({ prefix: 'ab', suffix: '' });
  feed('aac');
  await clock.advance(70);
  expect(keys).toEqual(['a', 'a', 'c']);
  feed(`a${track2}\r`);
  await clock.advance(2_000);
  expect({ keys, swipes }).toEqual({ keys: ['a', 'a', 'c', 'a'], swipes: [`${track2}\r`] });
  feed(`acab${track2}\r`);
  await clock.advance(2_000);
  expect({ keys: keys.slice(4), swipes: swipes.slice(1) }).toEqual({
    keys: ['a', 'c'],
    swipes: [`${track2}\r`],
  });
});

test('keys in the same chunk before and after a swipe are keys', async () => {
  const { clock, keys, swipes, feed } = setup();
  feed(['4', '2', '\x1b[A', ...track2, '\r', '1', '2', '3', '4', '\r', '\x1b[B']);
  expect(keys).toEqual(['4', '2', '\x1b[A']);
  await clock.advance(110);
  expect(keys).toEqual(['4', '2', '\x1b[A', '1', '2', '3', '4', '\r', '\x1b[B']);
  expect(swipes).toEqual([`${track2}\r`]);
});

test('other keys and the mouse pass during a swipe, and do not disturb it', async () => {
  const { clock, keys, swipes, feed } = setup();
  feed([';', '\x1b[<0;3;4M', ...track2.slice(1, 9), '\x1b[A', ...track2.slice(9), '\x1b[B', '\r']);
  await clock.advance(2_000);
  expect({ keys, swipes }).toEqual({ keys: ['\x1b[<0;3;4M', '\x1b[A', '\x1b[B'], swipes: [`${track2}\r`] });
});

test('the late Enter of a reader is not a key, and the next Enter is', async () => {
  const { clock, keys, swipes, feed } = setup();
  feed(track2);
  await clock.advance(300);
  expect(swipes).toEqual([track2]);
  feed('\r');
  feed('\r');
  expect(keys).toEqual(['\r']);
});

test('a swipe with its own Enter does not swallow a typed Enter', async () => {
  const { clock, keys, feed } = setup();
  feed(`${track2}\r`);
  await clock.advance(150);
  feed('\r');
  expect(keys).toEqual(['\r']);
});

test('a track without sentinels after one that has them does not count as keys', async () => {
  const { clock, keys, swipes, feed } = setup();
  feed(`${track1}\r${number}=27122011845888890000\r`);
  await clock.advance(3_000);
  expect(keys).toEqual([]);
  expect(swipes[0]).toBe(`${track1}\r`);
});

test('text that is typed fast and begins like a track counts as a swipe', async () => {
  for (const typed of [`;${number}`, '%B', '%hello world', `;;;;;;${number}\r`, `%${'x'.repeat(20_000)}`]) {
    const { clock, keys, swipes, feed } = setup();
    feed(typed);
    await clock.advance(3_000);
    if (typed === '%B') expect({ keys, swipes }).toEqual({ keys: ['%', 'B'], swipes: [] });
    else {
      expect(keys).toEqual([]);
      expect(swipes).toHaveLength(1);
      expect(swipes[0]?.length).toBeLessThan(1_100);
    }
  }
});

test('a swipe is recognised however it arrives, and typed keys before and after it are kept', async () => {
  const text = fc.constantFrom(
    `${track1}${track2}\r`,
    `${track1}\r${track2}\r`,
    `${track2}\r`,
    `${track1}\r`,
  );
  const hand = fc.array(fc.constantFrom('1', '5', '0', '\r', 'q', '\x1b[A', '\x7f', '/', ' '), {
    maxLength: 6,
  });
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 });
  const pauses = fc.array(fc.integer({ min: 0, max: 45 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(text, hand, hand, sizes, pauses, async (typed, before, behind, chunks, waits) => {
      const { clock, keys, swipes, feed } = setup();
      for (const key of before) {
        feed([key]);
        await clock.advance(90);
      }
      for (let at = 0, turn = 0; at < typed.length; turn++) {
        const size = chunks[turn % chunks.length] ?? 1;
        feed(typed.slice(at, at + size));
        at += size;
        await clock.advance(waits[turn % waits.length] ?? 0);
      }
      await clock.advance(110);
      for (const key of behind) {
        feed([key]);
        await clock.advance(130);
      }
      await clock.advance(2_000);
      expect({ keys, swipes }).toEqual({ keys: [...before, ...behind], swipes: [typed] });
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('a swipe that pauses anywhere lets no digit through, and continues within a track', async () => {
  const typed = `${track1}${track2}\r`;
  for (let at = 1; at < typed.length; at++)
    for (const pauseMs of [130, 300, 450, 900]) {
      const { clock, keys, swipes, feed } = setup();
      feed(typed.slice(0, at));
      await clock.advance(pauseMs);
      feed(typed.slice(at));
      await clock.advance(3_000);
      expect([at, pauseMs, keys.filter((key) => /\d/.test(key))]).toEqual([at, pauseMs, []]);
      const paused = at > 2 && at < track1.length && pauseMs < 500;
      if (paused) expect([at, pauseMs, swipes, keys]).toEqual([at, pauseMs, [typed], []]);
    }
});

test('a person who types the begin of a track, and then digits, loses no key', async () => {
  const typed = fc.array(fc.constantFrom('%', ';', 'B', '4', '1', '?', '=', '\r', '\x1b[A'), {
    maxLength: 20,
  });
  const pauses = fc.array(fc.integer({ min: 115, max: 700 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(typed, pauses, async (pieces, waits) => {
      const { clock, keys, swipes, feed } = setup();
      for (const [index, piece] of pieces.entries()) {
        feed([piece]);
        await clock.advance(waits[index % waits.length] ?? 0);
      }
      await clock.advance(2_000);
      expect({ keys, swipes }).toEqual({ keys: pieces, swipes: [] });
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('a swipe that came in pieces while the program was held up is one swipe', () => {
  const clock = new StallingClock();
  const { keys, swipes, feed } = setup(plain, clock as unknown as VirtualClock);
  for (const part of [track2.slice(0, 2), track2.slice(2, 20), `${track2.slice(20)}\r`]) {
    clock.stall(3_000);
    feed(part);
  }
  for (let part = 0; part < 10; part++) clock.stall(20);
  expect({ keys, swipes }).toEqual({ keys: [], swipes: [`${track2}\r`] });
  for (let part = 0; part < 100; part++) clock.stall(20);
  expect(clock.waiting).toBe(false);
});

test.each(['%', ';', '+', '!'])(
  '%s begins a track, so it cannot be configured as prefix or suffix',
  (suffix) => {
    const refused = wedgeSettingsSchema.safeParse({ suffix });
    expect(refused.error?.issues[0]?.message).toContain('begin a track');
  },
);

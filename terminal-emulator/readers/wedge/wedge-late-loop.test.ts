import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StallingClock } from '../stalling-clock.fixture.ts';
import { typedSwipes } from './typed-swipes.fixture.ts';
import { WedgeRecogniser } from './wedge-recogniser.ts';
import { wedgeSettingsSchema } from './wedge-settings.ts';

/**
 * Tests a program that is held up, so that it reads characters late although a reader typed them in time. Even then, no
 * character of a swipe may become a key (B220).
 */

/**
 * An event loop. In each turn, time passes, the due timers run, the input is read, and at last the functions that
 * waited for the input run.
 */
function lateLoop() {
  const clock = new StallingClock();
  const keys: string[] = [];
  const swipes: string[] = [];
  let afterReading: (() => void)[] = [];
  const recogniser = new WedgeRecogniser({
    clock,
    settings: wedgeSettingsSchema.parse({}),
    key: (piece) => keys.push(piece),
    swipe: (tracks) => swipes.push(tracks),
    afterReading: (run) => afterReading.push(run),
  });
  const coming: { text: string; atMs: number }[] = [];
  const turn = (ms: number) => {
    clock.stall(ms);
    clock.stall(0); // after a long turn, a timer that was just set may be due in the same turn
    while (coming[0] && coming[0].atMs <= clock.now()) recogniser.feed(coming.shift()?.text ?? '');
    const waiting = afterReading;
    afterReading = [];
    for (const run of waiting) run();
  };
  const comes = (typed: string, { afterMs = 0, everyMs }: { afterMs?: number; everyMs: number }) => {
    for (const [nth, text] of [...typed].entries())
      coming.push({ text, atMs: clock.now() + afterMs + nth * everyMs });
  };
  return { clock, keys, swipes, turn, comes, coming };
}

const inTime = Array.from({ length: 300 }, () => 14);

test('a key is held back until input within 70 ms of it has been read, however late that is (B220)', () => {
  const { keys, turn, comes } = lateLoop();
  comes('ñ4761739001010010', { everyMs: 60 });
  turn(0);
  // The loop is on time until shortly before the end of the wait. Then it is held up while the next character waits to
  // be read.
  for (const ms of [14, 14, 14, 14, 27]) turn(ms);
  for (const ms of inTime) turn(ms);
  expect(keys).toEqual([]);
});

test('the Enter of a reader does not count as typed by a person, even if it is read late (B220)', () => {
  const { clock, keys, turn, comes } = lateLoop();
  comes('ñ4761739001010010¿27122011845888890000_', { everyMs: 8 });
  comes('\r', { afterMs: 1_000, everyMs: 0 });
  for (const ms of inTime.slice(0, 60)) turn(ms);
  expect(clock.now()).toBeLessThan(1_000);
  turn(3_000);
  for (const ms of inTime) turn(ms);
  expect(keys).toEqual([]);
});

test.each(typedSwipes)(
  '%s: none of it counts as a key, however late the program reads it (B220)',
  (_name, typed) => {
    const stall = fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 0, max: 20 }) },
      { weight: 3, arbitrary: fc.integer({ min: 20, max: 90 }) },
      { weight: 1, arbitrary: fc.integer({ min: 90, max: 4_000 }) },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(1, 8, 15, 40, 60),
        fc.array(stall, { minLength: 1, maxLength: 40 }),
        (everyMs, stalls) => {
          const { keys, swipes, turn, comes, coming } = lateLoop();
          comes(typed, { everyMs });
          for (let nth = 0; coming.length > 0; nth++) turn((stalls[nth % stalls.length] ?? 0) + (nth % 2));
          for (const ms of inTime) turn(ms);
          expect(keys).toEqual([]);
          expect(swipes.length).toBeGreaterThan(0);
        },
      ),
      { seed: 1, numRuns: 60 },
    );
  },
);

test('keys that a person types arrive in order, however late the program reads them (B220)', () => {
  const stalls = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(stalls, (each) => {
      const { keys, swipes, turn, comes } = lateLoop();
      comes('1234\r', { everyMs: 150 });
      for (const ms of [...each, ...inTime]) turn(ms);
      expect({ keys: keys.join(''), swipes }).toEqual({ keys: '1234\r', swipes: [] });
    }),
    { seed: 1, numRuns: 100 },
  );
});

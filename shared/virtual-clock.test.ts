import { expect, test } from 'vitest';
import { VirtualClock } from './virtual-clock.ts';

function setup() {
  const clock = new VirtualClock({ startMs: 0 });
  const seen: string[] = [];
  const note = (what: string) => seen.push(`${clock.now()} ${what}`);
  return { clock, seen, note };
}

test('in a chain of delays each fires at its own time', async () => {
  const { clock, seen, note } = setup();
  clock.setTimeout(() => {
    note('first');
    clock.setTimeout(() => note('second'), 1000);
  }, 1000);
  await clock.advance(10_000);
  expect(seen).toEqual(['1000 first', '2000 second']);
  expect(clock.now()).toBe(10_000);
});

test('the effects of a timer are done before the next timer runs', async () => {
  const { clock, seen, note } = setup();
  clock.setTimeout(async () => {
    const done = clock.inFlight.begin();
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    note('consequence of the first');
    done();
  }, 5);
  clock.setTimeout(() => note('second'), 6);
  await clock.advance(10);
  expect(seen).toEqual(['5 consequence of the first', '6 second']);
});

test('time stands still while it is held, even if nothing is in flight, and moves when all holds have ended', async () => {
  const { clock, seen, note } = setup();
  const [one, two] = [clock.inFlight.hold(), clock.inFlight.hold()];
  clock.setTimeout(() => note('rings'), 5);
  const passing = clock.advance(10);
  await clock.inFlight.settled();
  one();
  one();
  await clock.inFlight.settled();
  expect([seen, clock.now()]).toEqual([[], 0]);
  two();
  await passing;
  expect([seen, clock.now()]).toEqual([['5 rings'], 10]);
});

test('timers due at the same time run in the order in which they were set', async () => {
  const { clock, seen, note } = setup();
  for (const name of ['a', 'b', 'c']) clock.setTimeout(() => note(name), 3);
  await clock.advance(3);
  expect(seen).toEqual(['3 a', '3 b', '3 c']);
});

test('a cleared timer never runs, even if a timer of the same time clears it', async () => {
  const { clock, seen, note } = setup();
  const doomed: unknown[] = [];
  clock.setTimeout(() => clock.clearTimeout(doomed[0]), 3);
  doomed.push(clock.setTimeout(() => note('cleared'), 3));
  await clock.advance(5);
  expect(seen).toEqual([]);
});

test('two advances at once move time one after the other', async () => {
  const { clock, seen, note } = setup();
  clock.setTimeout(() => note('x'), 15);
  await Promise.all([clock.advance(10), clock.advance(10)]);
  expect(seen).toEqual(['15 x']);
  expect(clock.now()).toBe(20);
});

test('time never runs backwards', async () => {
  const { clock } = setup();
  await clock.advance(100);
  await clock.advanceTo(50);
  expect(clock.now()).toBe(100);
});

test('the clock tells its next due time', () => {
  const { clock } = setup();
  expect(clock.nextDue()).toBeUndefined();
  clock.setTimeout(() => {}, 30);
  clock.setTimeout(() => {}, 20);
  expect(clock.nextDue()).toBe(20);
});

import { expect, test } from 'vitest';
import { IdentifierGenerator, makeAlphanumericText, makeSeededRandom, systemRandom } from './random.ts';
import { VirtualClock } from './virtual-clock.ts';

test('the same seed gives the same numbers, another seed others', () => {
  const draw = (seed: number) => Array.from(makeSeededRandom(seed).bytes(32));
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
});

test('whole numbers stay below their bound and reach every value', () => {
  const random = makeSeededRandom(7);
  const seen = new Set(Array.from({ length: 500 }, () => random.int(6)));
  expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5]);
});

test("the operating system's random numbers reach every value, even after more are fetched", () => {
  const drawn = Array.from({ length: 5_000 }, () => systemRandom.int(6));
  expect([...new Set(drawn)].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  expect(systemRandom.bytes(16)).not.toEqual(systemRandom.bytes(16));
});

test('alphanumeric texts have the requested length', () => {
  expect(makeAlphanumericText(systemRandom, 10)).toMatch(/^[0-9A-Z]{10}$/);
});

test('a seed gives the same text in every release, because runs of the virtual clock are compared', () => {
  const random = makeSeededRandom(9);
  expect([makeAlphanumericText(random, 16), random.int(1000)]).toEqual(['XT5G2ZO0FWHVB2FM', 880]);
  const identifiers = new IdentifierGenerator(
    new VirtualClock({ startMs: 1_763_790_000_000 }),
    makeSeededRandom(3),
  );
  expect([identifiers.next(), identifiers.next()]).toEqual([
    '019aaa13-8f80-7000-8000-00e8b22946af',
    '019aaa13-8f80-7000-8000-0770bf038215',
  ]);
});

test('identifiers sort by time and then by the order in which they were made', async () => {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const identifiers = new IdentifierGenerator(clock, makeSeededRandom(3));
  const made = [identifiers.next(), identifiers.next(), identifiers.next()];
  await clock.advance(1);
  made.push(identifiers.next());
  expect(made.toSorted()).toEqual(made);
  expect(made[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(made).size).toBe(4);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scaledDraws } from '../../test/draws.ts';
import { decideNextTimeStep, type TimeWait } from './next-step.ts';

const waiting = (untilMs: number, fails = false): TimeWait => ({ by: 'GET /status', untilMs, fails });
const standing = {
  ...{ nowMs: 1_000, dueMs: 5_000, waits: [waiting(31_000)], personIsAsked: false },
  ...{
    realMs: 100,
    changedMs: 50,
    patienceMs: 50,
    lastChanceMs: 2_000,
    chances: new Map<TimeWait, number>(),
  },
};

test('time moves to the next timer, and no further than a waiting client needs (B270)', () => {
  expect(decideNextTimeStep(standing)).toEqual({ toMs: 5_000 });
  expect(decideNextTimeStep({ ...standing, dueMs: 48 * 3_600_000 })).toEqual({ toMs: 31_000 });
  expect(decideNextTimeStep({ ...standing, dueMs: undefined })).toEqual({ toMs: 31_000 });
});

test('time stands still if nobody waits, or no longer waits, or a person is asked (B270, B272)', () => {
  expect(decideNextTimeStep({ ...standing, waits: [] })).toEqual({ stands: 'nobodyWaits' });
  expect(decideNextTimeStep({ ...standing, waits: [waiting(999)] })).toEqual({ stands: 'nobodyWaits' });
  expect(decideNextTimeStep({ ...standing, personIsAsked: true })).toEqual({ stands: 'personIsAsked' });
});

test('time stands still until nothing has happened for the patience period (B270)', () => {
  expect(decideNextTimeStep({ ...standing, changedMs: 51 })).toEqual({
    stands: 'patience',
    untilRealMs: 101,
  });
});

test('a wait that is about to fail gets a last chance, and only if time would come so far (B277)', () => {
  const wait = waiting(31_000, true);
  const alone = { ...standing, waits: [wait], dueMs: undefined };
  const stands = { stands: 'patience', lastChance: wait };
  expect(decideNextTimeStep(alone)).toEqual({ ...stands, untilRealMs: 2_100 });
  expect(decideNextTimeStep({ ...alone, chances: new Map([[wait, 150]]) })).toEqual({
    ...stands,
    untilRealMs: 150,
  });
  expect(decideNextTimeStep({ ...alone, chances: new Map([[wait, 100]]) })).toEqual({ toMs: 31_000 });
  expect(decideNextTimeStep({ ...alone, dueMs: 5_000 })).toEqual({ toMs: 5_000 });
});

test('time never goes back, nor past the limit of the client that waits longest (B270)', () => {
  const moment = fc.integer({ min: 0, max: 1_000_000 });
  const anyWait = fc.record({ by: fc.constant('x'), untilMs: moment, fails: fc.boolean() });
  const any = fc.record({
    ...{ nowMs: moment, dueMs: fc.option(moment, { nil: undefined }), waits: fc.array(anyWait) },
    ...{ personIsAsked: fc.boolean(), realMs: moment, changedMs: moment, patienceMs: moment },
  });
  fc.assert(
    fc.property(any, (at) => {
      const step = decideNextTimeStep({ ...at, lastChanceMs: 2_000, chances: new Map() });
      if (!('toMs' in step)) return;
      expect(at.personIsAsked).toBe(false);
      expect(step.toMs).toBeGreaterThanOrEqual(at.nowMs);
      expect(step.toMs).toBeLessThanOrEqual(Math.max(...at.waits.map(({ untilMs }) => untilMs)));
      expect(at.changedMs + at.patienceMs).toBeLessThanOrEqual(at.realMs);
    }),
    { seed: 1, numRuns: scaledDraws(2_000) },
  );
});

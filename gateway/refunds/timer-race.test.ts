import { afterEach, beforeEach, expect, test } from 'vitest';
import { Simulation } from './simulation.fixture.ts';

/**
 * The tests of this file are about a timer that fires at the worst moment: a request has just made the timer
 * unnecessary, but the request is still being stored. This can happen in real time. It never happens with the virtual
 * clock, so the tests run the timer's work by hand.
 */
let simulation: Simulation;
let fire: () => void;
beforeEach(async () => {
  const armed = (run: () => void) => {
    fire = run;
  };
  simulation = await Simulation.start({ surchargePercent: 0, armed });
});
afterEach(async () => {
  await simulation.clock.advance(0);
  expect(await simulation.books()).toMatchObject({ agree: true });
  expect(simulation.runtime.journal.since().filter(({ kind }) => kind === 'warning')).toEqual([]);
  await simulation.stop();
});

const types = async () => (await simulation.events()).map(({ type }) => type.replace('payments.', ''));

/** Gives a function that moves the time forward by `afterMs` and runs the work of the latest timer. */
function fallsDue(afterMs: number): () => void {
  return () => {
    simulation.clock.startAt(simulation.clock.now() + afterMs);
    fire();
  };
}

test('an authorization that is captured at the moment it expires is only captured', async () => {
  await simulation.do({ do: 'preauthorize', card: 'visa', cents: 1000 });
  const expires = fallsDue(7 * 24 * 3_600_000);
  expect(await simulation.doWhileWriting({ do: 'capture', of: 0 }, expires)).toBe('done');
  await simulation.clock.advance(0);
  expect(await types()).toEqual(['debits.preauthorized', 'debits.paid']);
});

test('a refund that is submitted, or fails, at the moment it is due changes only once', async () => {
  await simulation.do({ do: 'charge', card: 'visa', cents: 1000 });
  for (const [way, cents] of [
    ['submit', 100],
    ['fail', 200],
  ] as const) {
    await simulation.do({ do: 'refund', of: 0, cents });
    const step = { do: way, of: simulation.refunds.length - 1 };
    expect(await simulation.doWhileWriting(step, fallsDue(2_000))).toBe('done');
    await simulation.clock.advance(0);
  }
  expect(await types()).toEqual([
    'debits.completed',
    'refunds.created',
    'refunds.submitted',
    'refunds.created',
    'refunds.failed',
  ]);
});

test('a refund that its card rejects later is not rejected earlier, whatever timer is late', async () => {
  await simulation.do({ do: 'charge', card: 'refund-fails-later', cents: 1000 });
  await simulation.do({ do: 'refund', of: 0, cents: 100 });
  const late = fire;
  await simulation.clock.advance(2000);
  late();
  await simulation.clock.advance(4999);
  expect(await types()).toEqual(['debits.completed', 'refunds.created', 'refunds.submitted']);
  await simulation.clock.advance(1);
  expect((await types()).at(-1)).toBe('refunds.failed');
});

import { expect, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { parseSchedule, scheduleText } from '../plan/planned.ts';
import { aRun } from '../report/exploration.fixture.ts';
import type { RunRecord } from '../run/run-record.ts';
import { type Search, search } from './search.ts';

const clogged = aRun({ settled: false });

/** Searches with runs that are given; says what was explored. */
async function searching(run: (text: string) => RunRecord, more: Partial<Search>) {
  const ran: string[] = [];
  const { explored } = await search({
    run: async (schedule) => {
      ran.push(scheduleText(schedule));
      return run(scheduleText(schedule));
    },
    ...{ plain: aRun(), plans: [], workers: 1, without: new Set<string>(), pairs: false, goesOn: true },
    ...{ clock: new VirtualClock({ startMs: 0 }), endsAt: Number.POSITIVE_INFINITY },
    stopped: new AbortController().signal,
    ...more,
  });
  return { explored, ran };
}

test('a replay that was ended with explore makes no failure unstable', async () => {
  const stop = new AbortController();
  let runs = 0;
  const run = () => {
    if (++runs === 2) stop.abort();
    return runs === 2 ? aRun() : clogged;
  };
  const plans = [parseSchedule('silent@host.1')];
  const { explored } = await searching(run, { plans, stopped: stop.signal });
  expect(explored.map(({ verdict, unstable }) => [verdict.is, unstable])).toEqual([['didNotSettle', false]]);
});

test('pairs are not made of what changes nothing', async () => {
  const plans = [parseSchedule('silent@host.1')];
  const { ran } = await searching(() => aRun(), { plans, pairs: true });
  expect(ran).toEqual(['silent@host.1']);
});

test('a failure shrinks until nothing simpler fails, and not at all where it was named', async () => {
  const plans = [parseSchedule('late-16s@host.1+dropAnswer@payment-request.3')];
  const run = (text: string) => (text.includes('+') ? clogged : aRun());
  const all = await searching(run, { plans });
  expect(all.explored.map(({ schedule }) => scheduleText(schedule))).toEqual([
    'late-1s@host.1+dropAnswer@payment-request.1',
  ]);
  const named = await searching(run, { plans, goesOn: false });
  expect(named.explored.map(({ schedule }) => schedule)).toEqual(plans);
});

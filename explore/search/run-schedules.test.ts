import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { parseSchedule, scheduleText } from '../plan/schedule.ts';
import { makeCommandRequest, makeRunRecord } from '../report/exploration.fixture.ts';
import type { RunRecord } from '../run/run-record.ts';
import { runSchedules, type SearchOptions } from './run-schedules.ts';

const clogged = makeRunRecord({ settled: false });

/** Runs a search in which `run` returns the record of each run. Returns the result of the search. */
async function searching(run: (text: string) => RunRecord, more: Partial<SearchOptions>) {
  const ran: string[] = [];
  const { explored, replays } = await runSchedules({
    run: async (schedule) => {
      ran.push(scheduleText(schedule));
      return run(scheduleText(schedule));
    },
    ...{
      plain: makeRunRecord(),
      plans: [],
      workers: 1,
      without: new Set<string>(),
      pairs: false,
      goesOn: true,
    },
    ...{ clock: new VirtualClock({ startMs: 0 }), endsAt: Number.POSITIVE_INFINITY },
    stopped: new AbortController().signal,
    ...more,
  });
  return { explored, replays, ran };
}

test('a replay that was interrupted with explore makes no failure unstable', async () => {
  const stop = new AbortController();
  let runs = 0;
  const run = () => {
    if (++runs === 2) stop.abort();
    return runs === 2 ? makeRunRecord() : clogged;
  };
  const plans = [parseSchedule('silent@host.1')];
  const { explored } = await searching(run, { plans, stopped: stop.signal });
  expect(explored.map(({ verdict, unstable }) => [verdict.is, unstable])).toEqual([['didNotSettle', false]]);
});

test('every failure is repeated three times, even one that hangs or gets no answer (B391)', async () => {
  const hanging = makeRunRecord({ ended: { code: undefined, signal: 'SIGKILL', timedOut: true } });
  const plans = [parseSchedule('silent@host.1'), parseSchedule('holdAnswer@payment-request.1')];
  const { explored, ran } = await searching(() => hanging, { plans });
  expect(explored.map(({ verdict, unstable }) => [verdict.is, unstable])).toEqual([
    ['hangs', false],
    ['hangs', false],
  ]);
  expect(ran).toEqual(plans.flatMap((plan) => Array(4).fill(scheduleText(plan))));
});

test('repeated runs are announced and counted, including those with simpler faults (B388)', async () => {
  const again: string[] = [];
  const run = (text: string) => (text === 'silent@host.1' ? makeRunRecord() : clogged);
  const plans = [parseSchedule('silent@host.1'), parseSchedule('slow@screens.1+silent@host.1')];
  const { replays, ran } = await searching(run, {
    plans,
    again: (schedule) => void again.push(scheduleText(schedule)),
  });
  expect(ran).toEqual([...plans.map(scheduleText), ...again]);
  expect(again).toEqual(['silent@host.1', ...Array(4).fill('slow@screens.1')]);
  expect(replays).toBe(again.length);
});

test('a failure that does not occur in one of the three repetitions is unstable (B391)', async () => {
  let runs = 0;
  const run = () => (++runs === 4 ? makeRunRecord() : clogged);
  const { explored } = await searching(run, { plans: [parseSchedule('silent@host.1')] });
  expect(explored.map(({ unstable }) => unstable)).toEqual([true]);
});

describe('pairs of faults (B384)', () => {
  const refused = makeRunRecord({ requests: [makeCommandRequest('503')] });
  const pairsOf = async (run: (text: string) => RunRecord, ...singles: readonly string[]) => {
    const plans = singles.map(parseSchedule);
    const { ran } = await searching(run, { plans, pairs: true });
    return new Set(ran.filter((text) => text.includes('+')).map((text) => text.split('+')[0]));
  };

  test('are not made of faults that change nothing', async () => {
    expect(await pairsOf(() => makeRunRecord(), 'silent@host.1')).toEqual(new Set());
  });

  test('are made of one run of those with the same fault and the same answers, wherever it happened', async () => {
    const singles = ['powerOff@pin.1', 'powerOff@tip.1', 'networkOff@pin.1'];
    expect(await pairsOf(() => refused, ...singles)).toEqual(new Set(['powerOff@pin.1', 'networkOff@pin.1']));
  });

  test('are run once, whichever fault is named first', async () => {
    const passed = new Map([['host', 1]]);
    const plans = ['silent@host.1', 'late-29s@host.1', 'powerOff@pin.1'].map(parseSchedule);
    const run = (text: string) => ({
      ...refused,
      passed: text.includes('host') ? new Map([['pin', 1]]) : passed,
    });
    const { ran } = await searching(run, { plans, pairs: true });
    expect(ran).toContain('silent@host.1+powerOff@pin.1');
    expect(ran).not.toContain('powerOff@pin.1+silent@host.1');
    expect(ran).toContain('powerOff@pin.1+decline@host.1');
  });

  test('are made of a survived run, even if another of its class failed', async () => {
    const run = (text: string) => (text === 'powerOff@pin.1' ? { ...refused, settled: false } : refused);
    expect(await pairsOf(run, 'powerOff@pin.1', 'powerOff@tip.1')).toEqual(new Set(['powerOff@tip.1']));
  });
});

test('a failure is simplified until nothing simpler fails, and not at all if its fault was named', async () => {
  const plans = [parseSchedule('late-16s@host.1+dropAnswer@payment-request.3')];
  const run = (text: string) => (text.includes('+') ? clogged : makeRunRecord());
  const all = await searching(run, { plans });
  expect(all.explored.map(({ schedule }) => scheduleText(schedule))).toEqual([
    'late-1s@host.1+dropAnswer@payment-request.1',
  ]);
  const named = await searching(run, { plans, goesOn: false });
  expect(named.explored.map(({ schedule }) => schedule)).toEqual(plans);
});

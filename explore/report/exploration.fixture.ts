import type { Exploration } from '../exploration.ts';
import { parseSchedule } from '../plan/schedule.ts';
import type { CommandRequest, RunRecord } from '../run/run-record.ts';
import type { ExploredSchedule } from '../search/run-schedules.ts';
import type { Verdict } from '../verdict/verdict.ts';

/** Makes the record of a run. A test gives only the fields that matter to it. */
export function makeRunRecord(changes: Partial<RunRecord> = {}): RunRecord {
  return {
    requests: [makeCommandRequest('200')],
    passed: new Map([['payment-request', 1]]),
    sales: [],
    entries: [],
    terminal: { poiId: 'V400m-1', identifier: 't1' },
    found: [],
    ended: { code: 0, signal: undefined, timedOut: false },
    settled: true,
    unjudgedDeliveries: [],
    hungUpAfterMs: undefined,
    output: [],
    tookMs: 400,
    why: undefined,
    ...changes,
  };
}

/**
 * Makes the record of a payment request. `told` is the status of the answer, or says what happened instead of an
 * answer.
 */
export function makeCommandRequest(told: string): CommandRequest {
  const path = '/terminals/…/payment-request';
  return {
    ...{ point: 'payment-request', nth: 1, method: 'POST', path, key: 'new', told },
    ...{ connection: 1, beside: false },
  };
}

/** Makes an explored run from its schedule and its verdict. */
export function makeExploredSchedule(
  schedule: string,
  {
    is = 'survived',
    says = 'The beliefs of your point of sale agree with the money that moved',
  }: Partial<Verdict> = {},
  { unstable = false, wanted = schedule, ...run }: Partial<RunRecord> & Partial<Marks> = {},
): ExploredSchedule {
  return {
    wanted: parseSchedule(wanted),
    schedule: parseSchedule(schedule),
    run: makeRunRecord(run),
    verdict: { is, says },
    unstable,
  };
}

interface Marks {
  readonly unstable: boolean;
  readonly wanted: string;
}

export function makeExploration(
  all: readonly ExploredSchedule[],
  { left = [], ...changes }: Partial<Omit<Exploration, 'left'>> & { left?: readonly string[] } = {},
): Exploration {
  return {
    plain: makeRunRecord(),
    differs: undefined,
    remarks: [],
    plans: all.map(({ wanted }) => wanted),
    isPart: false,
    explored: all,
    replays: 0,
    left: left.map(parseSchedule),
    impossible: new Map(),
    oftener: [],
    notAsked: { why: new Map(), schedules: [] },
    stopped: false,
    tookMs: 1_234,
    ...changes,
  };
}

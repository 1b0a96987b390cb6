import type { Clock } from '../../shared/clock.ts';
import type { Schedule } from '../plan/schedule.ts';
import type { RunRecord } from '../run/run-record.ts';
import { judge } from '../verdict/judge.ts';
import { isFailure, type Verdict } from '../verdict/verdict.ts';
import { ScheduleQueue, type ScheduleQueueOptions } from './schedule-queue.ts';
import { makeSimplerSchedules } from './simpler-schedules.ts';

/** A schedule that was run, with its record and verdict. */
export interface ExploredSchedule {
  /**
   * The planned schedule. If a simpler schedule fails in the same way, `schedule` is the simpler schedule; otherwise,
   * both are equal.
   */
  readonly wanted: Schedule;
  readonly schedule: Schedule;
  readonly run: RunRecord;
  readonly verdict: Verdict;
  /** Whether a repetition of the run had another result. */
  readonly unstable: boolean;
}

export interface SearchOptions extends ScheduleQueueOptions {
  /** Runs the command with the faults of a schedule. Rejects only if the run could not be made. */
  run(schedule: Schedule): Promise<RunRecord>;
  readonly workers: number;
  readonly clock: Clock;
  /** The time on the monotonic clock after which no further run begins. */
  readonly endsAt: number;
  readonly stopped: AbortSignal;
  began?(schedule: Schedule): void;
  /** Called before a run repeats a failure, or tries a simpler schedule for it. */
  again?(schedule: Schedule): void;
  ended?(explored: ExploredSchedule, left: number): void;
}

/** A schedule whose run failed. */
type Failing = Pick<ExploredSchedule, 'schedule' | 'run' | 'verdict'>;

interface SearchResult {
  readonly explored: readonly ExploredSchedule[];
  /** The schedules that were not run, because the search was stopped or reached its time limit. */
  readonly left: readonly Schedule[];
  /** The number of runs that repeated a failure, or tried a simpler schedule for it. */
  readonly replays: number;
}

/** How many times a failed run is repeated before the failure is reported. */
const repetitionsOfAFailure = 3;

/** Runs the schedules. If a run reaches new moments, adds schedules with faults at these moments to the queue. */
export async function runSchedules(plan: SearchOptions): Promise<SearchResult> {
  const queue = new ScheduleQueue(plan);
  const explored: ExploredSchedule[] = [];
  let extraRuns = 0;
  const rerun = (schedule: Schedule) => {
    extraRuns++;
    plan.again?.(schedule);
    return plan.run(schedule);
  };
  const isOver = () => plan.stopped.aborted || plan.clock.monotonic() >= plan.endsAt;
  const takeNext = () => (isOver() ? undefined : queue.takeNext());
  const work = async () => {
    for (let schedule = takeNext(); schedule; schedule = takeNext()) {
      plan.began?.(schedule);
      const one = await explore(plan, schedule, rerun);
      if (!one) queue.giveBack(schedule);
      else {
        explored.push(one);
        queue.addFollowUps(one);
        plan.ended?.(one, queue.length);
      }
    }
  };
  await Promise.all(Array.from({ length: plan.workers }, work));
  explored.sort((one, other) => queue.placeOf(one.wanted) - queue.placeOf(other.wanted));
  return { explored, left: queue.waiting, replays: extraRuns };
}

type Rerun = SearchOptions['run'];

/**
 * Runs a schedule. If the run fails, looks for the simplest schedule that fails in the same way, and repeats that
 * schedule three times. Undefined if explore was stopped during the first run.
 */
async function explore(
  plan: SearchOptions,
  wanted: Schedule,
  rerun: Rerun,
): Promise<ExploredSchedule | undefined> {
  const run = await plan.run(wanted);
  if (plan.stopped.aborted) return undefined;
  const verdict = judge(run, plan.plain);
  if (!isFailure(verdict)) return { wanted, schedule: wanted, run, verdict, unstable: false };
  const failing = await findSimplest({ schedule: wanted, run, verdict }, plan, rerun);
  return { wanted, ...failing, unstable: await isUnstable(failing, plan, rerun) };
}

/** Tries simpler schedules. Returns the simplest one that fails in the same way. */
async function findSimplest(failing: Failing, plan: SearchOptions, rerun: Rerun): Promise<Failing> {
  // With --only the schedule is not simplified, so that it keeps the name that the user gave.
  if (!plan.goesOn) return failing;
  let simplest = failing;
  let candidates = makeSimplerSchedules(failing.schedule);
  while (candidates.length > 0 && !plan.stopped.aborted) {
    const [candidate = [], ...otherCandidates] = candidates;
    const found = await rerunIfFailsAlike(failing, candidate, plan, rerun);
    if (found) simplest = found;
    candidates = found ? makeSimplerSchedules(candidate) : otherCandidates;
  }
  return simplest;
}

/** Repeats a failure. Returns true if one of the repetitions does not fail in the same way. */
async function isUnstable(failing: Failing, plan: SearchOptions, rerun: Rerun): Promise<boolean> {
  for (let repetition = 0; repetition < repetitionsOfAFailure && !plan.stopped.aborted; repetition++) {
    const again = await rerunIfFailsAlike(failing, failing.schedule, plan, rerun);
    // If explore is stopped during a repetition, that repetition does not count.
    if (!again && !plan.stopped.aborted) return true;
  }
  return false;
}

/** Returns the new run of `schedule` if it fails in the same way as `failing`, and explore was not stopped. */
async function rerunIfFailsAlike(
  failing: Failing,
  schedule: Schedule,
  { stopped, plain }: SearchOptions,
  rerun: Rerun,
): Promise<Failing | undefined> {
  const run = await rerun(schedule);
  if (stopped.aborted) return undefined;
  const verdict = judge(run, plain);
  return verdict.is === failing.verdict.is ? { schedule, run, verdict } : undefined;
}

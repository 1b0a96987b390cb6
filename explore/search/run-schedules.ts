import type { Clock } from '../../shared/clock.ts';
import { extraRealMs } from '../plan/catalogue.ts';
import { isCombinable } from '../plan/combining.ts';
import { faultsAtPassedMoments } from '../plan/passed-moment-faults.ts';
import { type PlannedFault, type Schedule, scheduleText } from '../plan/schedule.ts';
import type { RunRecord } from '../run/run-record.ts';
import { judge } from '../verdict/judge.ts';
import { isFailure, type Verdict } from '../verdict/verdict.ts';
import { isChanged, outcomeClassOf } from './outcome-class.ts';
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

export interface SearchOptions {
  /** Runs the command with the faults of a schedule. Rejects only if the run could not be made. */
  run(schedule: Schedule): Promise<RunRecord>;
  readonly plain: RunRecord;
  readonly plans: readonly Schedule[];
  readonly workers: number;
  /** The groups of faults that are left out. */
  readonly without: ReadonlySet<string>;
  readonly pairs: boolean;
  /**
   * Whether to add schedules for moments that are reached only after a fault. False if the user chose the schedules.
   */
  readonly goesOn: boolean;
  readonly clock: Clock;
  /** The time on the monotonic clock after which no further run begins. */
  readonly endsAt: number;
  readonly stopped: AbortSignal;
  began?(schedule: Schedule): void;
  /** Called before a run repeats a failure, or tries a simpler schedule for it. */
  again?(schedule: Schedule): void;
  ended?(explored: ExploredSchedule, left: number): void;
}

interface SearchResult {
  readonly explored: readonly ExploredSchedule[];
  /** The schedules that were not run, because the search was stopped or reached its time limit. */
  readonly left: readonly Schedule[];
  /** The number of runs that repeated a failure, or tried a simpler schedule for it. */
  readonly replays: number;
}

/** How many times a failed run is repeated before the failure is reported. */
const replays = 3;

/** Runs the schedules. If a run reaches new moments, adds schedules with faults at these moments to the queue. */
export async function runSchedules(plan: SearchOptions): Promise<SearchResult> {
  const queue = new Queue(plan);
  const explored: ExploredSchedule[] = [];
  let replays = 0;
  const counting: SearchOptions = {
    ...plan,
    again: (schedule) => {
      replays++;
      plan.again?.(schedule);
    },
  };
  const work = async () => {
    for (let schedule = queue.next(); schedule; schedule = queue.next()) {
      plan.began?.(schedule);
      const one = await explore(counting, schedule);
      if (!one) queue.giveBack(schedule);
      else {
        explored.push(one);
        queue.learn(one);
        plan.ended?.(one, queue.length);
      }
    }
  };
  await Promise.all(Array.from({ length: plan.workers }, work));
  explored.sort((one, other) => queue.placeOf(one.wanted) - queue.placeOf(other.wanted));
  return { explored, left: queue.rest(), replays };
}

/**
 * Runs a schedule. If the run fails, looks for the simplest schedule that fails in the same way, and repeats that
 * schedule three times.
 */
async function explore(plan: SearchOptions, wanted: Schedule): Promise<ExploredSchedule | undefined> {
  let schedule = wanted;
  let run = await plan.run(schedule);
  if (plan.stopped.aborted) return undefined;
  let verdict = judge(run, plan.plain);
  if (!isFailure(verdict)) return { wanted, schedule, run, verdict, unstable: false };
  const same = async (other: Schedule) => {
    plan.again?.(other);
    const again = await plan.run(other);
    if (plan.stopped.aborted) return undefined;
    return judge(again, plan.plain).is === verdict.is ? again : undefined;
  };
  // With --only the schedule is not simplified, so that it keeps the name that the user gave.
  let simpler = plan.goesOn ? makeSimplerSchedules(schedule) : [];
  while (simpler.length > 0 && !plan.stopped.aborted) {
    const [next = [], ...others] = simpler;
    const found = await same(next);
    if (found) [schedule, run, verdict] = [next, found, judge(found, plan.plain)];
    simpler = found ? makeSimplerSchedules(next) : others;
  }
  let unstable = false;
  // If explore is stopped during a repetition, that repetition does not count.
  for (let replay = 0; replay < replays && !unstable && !plan.stopped.aborted; replay++)
    unstable = (await same(schedule)) === undefined && !plan.stopped.aborted;
  return { wanted, schedule, run, verdict, unstable };
}

/** The queue of schedules to run. Each schedule is in it only once. */
class Queue {
  readonly #plan: SearchOptions;
  readonly #waiting: Schedule[] = [];
  /** The schedules that take minutes of real time. They run last. */
  readonly #slow: Schedule[] = [];
  readonly #places = new Map<string, number>();
  readonly #seen: Map<string, number>;
  readonly #classes = new Set<string>();

  constructor(plan: SearchOptions) {
    this.#plan = plan;
    this.#seen = new Map(plan.plain.passed);
    for (const schedule of plan.plans) this.#add(schedule);
  }

  get length(): number {
    return this.#waiting.length + this.#slow.length;
  }

  next(): Schedule | undefined {
    const { stopped, clock, endsAt } = this.#plan;
    if (stopped.aborted || clock.monotonic() >= endsAt) return undefined;
    return this.#waiting.shift() ?? this.#slow.shift();
  }

  giveBack(schedule: Schedule): void {
    this.#waiting.unshift(schedule);
  }

  rest(): readonly Schedule[] {
    return [...this.#waiting, ...this.#slow];
  }

  placeOf(schedule: Schedule): number {
    return this.#places.get(nameOf(schedule)) ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Adds schedules with faults at the moments that no earlier run has reached. If the run's only fault changed the run
   * but caused no failure, also adds schedules that combine this fault with a second fault. Only the first run of each
   * class gets such combinations.
   */
  learn({ schedule, run, verdict }: ExploredSchedule): void {
    const { goesOn, pairs, plain, without } = this.#plan;
    if (!goesOn) return;
    this.#addAll(schedule, faultsAtPassedMoments(run.passed, without, this.#seen));
    for (const [moment, times] of run.passed)
      this.#seen.set(moment, Math.max(this.#seen.get(moment) ?? 0, times));
    if (!pairs || schedule.length > 1 || isFailure(verdict) || !isChanged(run, plain)) return;
    const kind = outcomeClassOf(schedule, run);
    if (this.#classes.has(kind)) return;
    this.#classes.add(kind);
    this.#addAll(schedule, faultsAtPassedMoments(run.passed, without));
  }

  #addAll(schedule: Schedule, faults: readonly PlannedFault[]): void {
    if (schedule.length >= mostFaults) return;
    for (const planned of faults) {
      const both = [...schedule, planned];
      if (isCombinable(both)) this.#add(both);
    }
  }

  #add(schedule: Schedule): void {
    const name = nameOf(schedule);
    if (this.#places.has(name)) return;
    this.#places.set(name, this.#places.size);
    (extraRealMs(schedule) > 0 ? this.#slow : this.#waiting).push(schedule);
  }
}

/** Returns a name that does not depend on the order of the faults, because the order makes no difference to the run. */
function nameOf(schedule: Schedule): string {
  return schedule
    .map((planned) => scheduleText([planned]))
    .sort()
    .join('+');
}

/** The maximum number of faults in one schedule. */
const mostFaults = 2;

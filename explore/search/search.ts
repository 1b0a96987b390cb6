import type { Clock } from '../../shared/clock.ts';
import { extraRealMs } from '../plan/catalogue.ts';
import { faultsOf } from '../plan/moments-passed.ts';
import { type Planned, type Schedule, scheduleText } from '../plan/planned.ts';
import { fitTogether } from '../plan/together.ts';
import type { RunRecord } from '../run/run-record.ts';
import { judge } from '../verdict/judge.ts';
import { isFailure, type Verdict } from '../verdict/verdict.ts';
import { classOf, isChanged } from './outcome-class.ts';
import { simplerOf } from './shrink.ts';

/** A schedule that was run, and how it ended. */
export interface Explored {
  /** The planned schedule. `schedule` is simpler if a simpler one fails in the same way. */
  readonly wanted: Schedule;
  readonly schedule: Schedule;
  readonly run: RunRecord;
  readonly verdict: Verdict;
  /** Whether three further runs had different results. */
  readonly unstable: boolean;
}

export interface Search {
  /** Runs the command with the faults of a schedule; rejects only if the run could not be made. */
  run(schedule: Schedule): Promise<RunRecord>;
  readonly plain: RunRecord;
  readonly plans: readonly Schedule[];
  readonly workers: number;
  /** Groups whose faults are left out. */
  readonly without: ReadonlySet<string>;
  readonly pairs: boolean;
  /** Whether points that are first seen under a fault are explored too; false if the schedules were given. */
  readonly goesOn: boolean;
  readonly clock: Clock;
  /** The moment after which no run is begun, on the monotonic clock. */
  readonly endsAt: number;
  readonly stopped: AbortSignal;
  began?(schedule: Schedule): void;
  /** Called when a run that failed is made again, or a simpler one in its place. */
  again?(schedule: Schedule): void;
  ended?(explored: Explored, left: number): void;
}

interface SearchResult {
  readonly explored: readonly Explored[];
  /** Schedules that were not run: stopped, or the limit was reached. */
  readonly left: readonly Schedule[];
  /** The number of runs that were made to see a failure again, or a simpler one. */
  readonly replays: number;
}

/** How many times a failure is seen again before it is reported. */
const replays = 3;

/** Runs the schedules, and adds to the queue what is new in a run. */
export async function search(plan: Search): Promise<SearchResult> {
  const queue = new Queue(plan);
  const explored: Explored[] = [];
  let replays = 0;
  const counting: Search = {
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

/** Runs a schedule. For a failure, it finds the simplest schedule that fails in the same way, and sees it again three times. */
async function explore(plan: Search, wanted: Schedule): Promise<Explored | undefined> {
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
  // Under --only the name stays the one that was asked for.
  let simpler = plan.goesOn ? simplerOf(schedule) : [];
  while (simpler.length > 0 && !plan.stopped.aborted) {
    const [next = [], ...others] = simpler;
    const found = await same(next);
    if (found) [schedule, run, verdict] = [next, found, judge(found, plan.plain)];
    simpler = found ? simplerOf(next) : others;
  }
  let unstable = false;
  // A replay that ended because explore was stopped says nothing.
  for (let replay = 0; replay < replays && !unstable && !plan.stopped.aborted; replay++)
    unstable = (await same(schedule)) === undefined && !plan.stopped.aborted;
  return { wanted, schedule, run, verdict, unstable };
}

/** The schedules that are still to be run, each once. */
class Queue {
  readonly #plan: Search;
  readonly #waiting: Schedule[] = [];
  /** The schedules that take minutes of real time. They come last. */
  readonly #slow: Schedule[] = [];
  readonly #places = new Map<string, number>();
  readonly #seen: Map<string, number>;
  readonly #classes = new Set<string>();

  constructor(plan: Search) {
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

  /** Adds the points that this run is the first to reach, and pairs if its class is new, survived and changed the run. */
  learn({ schedule, run, verdict }: Explored): void {
    const { goesOn, pairs, plain, without } = this.#plan;
    if (!goesOn) return;
    this.#addAll(schedule, faultsOf(run.passed, without, this.#seen));
    for (const [moment, times] of run.passed)
      this.#seen.set(moment, Math.max(this.#seen.get(moment) ?? 0, times));
    if (!pairs || schedule.length > 1 || isFailure(verdict) || !isChanged(run, plain)) return;
    const kind = classOf(schedule, run);
    if (this.#classes.has(kind)) return;
    this.#classes.add(kind);
    this.#addAll(schedule, faultsOf(run.passed, without));
  }

  #addAll(schedule: Schedule, faults: readonly Planned[]): void {
    if (schedule.length >= mostFaults) return;
    for (const planned of faults) {
      const both = [...schedule, planned];
      if (fitTogether(both)) this.#add(both);
    }
  }

  #add(schedule: Schedule): void {
    const name = nameOf(schedule);
    if (this.#places.has(name)) return;
    this.#places.set(name, this.#places.size);
    (extraRealMs(schedule) > 0 ? this.#slow : this.#waiting).push(schedule);
  }
}

/** Gives the name of a schedule. Two faults make the same run in either order of their names. */
function nameOf(schedule: Schedule): string {
  return schedule
    .map((planned) => scheduleText([planned]))
    .sort()
    .join('+');
}

/** The most faults in one schedule. */
const mostFaults = 2;

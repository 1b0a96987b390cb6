import { longestExtraRunRealMs } from '../plan/catalogue.ts';
import { isCombinable } from '../plan/combining.ts';
import { faultsAtPassedMoments } from '../plan/passed-moment-faults.ts';
import { type PlannedFault, type Schedule, scheduleText } from '../plan/schedule.ts';
import type { RunRecord } from '../run/run-record.ts';
import { isFailure, type Verdict } from '../verdict/verdict.ts';
import { isRunChangedByFault, outcomeClassKey } from './outcome-class.ts';

/** The maximum number of faults in one schedule. */
const mostFaults = 2;

export interface ScheduleQueueOptions {
  /** The run without faults. */
  readonly plain: RunRecord;
  readonly plans: readonly Schedule[];
  /** The groups of faults that are left out. */
  readonly without: ReadonlySet<string>;
  readonly pairs: boolean;
  /**
   * Whether to add schedules for moments that are reached only after a fault. False if the user chose the schedules.
   */
  readonly goesOn: boolean;
}

/** A run of a schedule, and its verdict. */
interface JudgedRun {
  readonly schedule: Schedule;
  readonly run: RunRecord;
  readonly verdict: Verdict;
}

/** The queue of schedules to run. Each schedule is in it only once. */
export class ScheduleQueue {
  readonly #options: ScheduleQueueOptions;
  readonly #quick: Schedule[] = [];
  /** The schedules that take minutes of real time. They run last. */
  readonly #slow: Schedule[] = [];
  /** The order in which the schedules were added, by their names. */
  readonly #places = new Map<string, number>();
  /** For each moment, the maximum number of times that a single run has reached it. */
  readonly #reached: Map<string, number>;
  /** The classes of outcomes for which schedules with a second fault have already been added. */
  readonly #combinedClasses = new Set<string>();

  constructor(options: ScheduleQueueOptions) {
    this.#options = options;
    this.#reached = new Map(options.plain.passed);
    for (const schedule of options.plans) this.#add(schedule);
  }

  get length(): number {
    return this.#quick.length + this.#slow.length;
  }

  takeNext(): Schedule | undefined {
    return this.#quick.shift() ?? this.#slow.shift();
  }

  /** Puts a schedule back that was taken, but not run. */
  giveBack(schedule: Schedule): void {
    this.#quick.unshift(schedule);
  }

  /** The schedules that have not been taken. */
  get waiting(): readonly Schedule[] {
    return [...this.#quick, ...this.#slow];
  }

  /** Returns the schedule's place in the order in which the schedules were added. */
  placeOf(schedule: Schedule): number {
    return this.#places.get(nameOf(schedule)) ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Adds schedules with faults at the moments that no earlier run has reached. If the run's only fault changed the run
   * but caused no failure, also adds schedules that combine this fault with a second fault. Only the first run of each
   * class gets such combinations.
   */
  addFollowUps({ schedule, run, verdict }: JudgedRun): void {
    const { goesOn, pairs, plain, without } = this.#options;
    if (!goesOn) return;
    this.#addAll(schedule, faultsAtPassedMoments(run.passed, without, this.#reached));
    for (const [moment, times] of run.passed)
      this.#reached.set(moment, Math.max(this.#reached.get(moment) ?? 0, times));
    if (!pairs || schedule.length > 1 || isFailure(verdict) || !isRunChangedByFault(run, plain)) return;
    const kind = outcomeClassKey(schedule, run);
    if (this.#combinedClasses.has(kind)) return;
    this.#combinedClasses.add(kind);
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
    (longestExtraRunRealMs(schedule) > 0 ? this.#slow : this.#quick).push(schedule);
  }
}

/** Returns a name that does not depend on the order of the faults, because the order makes no difference to the run. */
function nameOf(schedule: Schedule): string {
  return schedule
    .map((planned) => scheduleText([planned]))
    .sort()
    .join('+');
}

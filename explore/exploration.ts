import type { Clock } from '../shared/clock.ts';
import type { Random } from '../shared/random.ts';
import { StartError } from '../shared/start-error.ts';
import { startStopwatch } from '../shared/stopwatch.ts';
import { faultKindOf, longestExtraRunRealMs } from './plan/catalogue.ts';
import { checkCombinable } from './plan/combining.ts';
import { faultGroups } from './plan/fault-kind.ts';
import { faultsAtPassedMoments, untriedOccurrenceLines } from './plan/passed-moment-faults.ts';
import { requestPoints } from './plan/request-points.ts';
import { type Schedule, scheduleText } from './plan/schedule.ts';
import type { EnvironmentProvider } from './run/run-environment.ts';
import type { RunSettings } from './run/run-maker.ts';
import type { RunRecord } from './run/run-record.ts';
import { sentNothingText } from './run/sent-nothing.ts';
import { findFirstDifference, type PlainRunDifference } from './search/difference.ts';
import { findNonRequestDifferences } from './search/non-request-differences.ts';
import { type ExploredSchedule, runSchedules, type SearchOptions } from './search/run-schedules.ts';
import { RunThreadPool, type ThreadCountAndProgram } from './threads/run-threads.ts';

interface ExplorationOptions extends Omit<RunSettings, 'environment'> {
  readonly arena: EnvironmentProvider;
  readonly clock: Clock;
  readonly random: Random;
  readonly stopped: AbortSignal;
  /** The schedules to run; undefined for all schedules. */
  readonly only: readonly Schedule[] | undefined;
  readonly pairs: boolean;
  /** The number of runs that are made at the same time. */
  readonly workers: number;
  /** The number of threads that make the runs, and their program. If absent, this thread makes all runs. */
  readonly threads?: ThreadCountAndProgram;
  /** The real milliseconds after which no further run begins. */
  readonly limitMs: number | undefined;
  /**
   * The real milliseconds that a run may take. If absent, the limit is ten times as long as the plain run took, but at
   * least a minute.
   */
  readonly timeoutMs: number | undefined;
  readonly progress: Pick<SearchOptions, 'began' | 'again' | 'ended'> & {
    planned?(plain: RunRecord, plans: readonly Schedule[]): void;
    /**
     * Called with each note about a setting of the user that has no effect on the command. Pinpad overrides this
     * setting to redirect the command's calls to the gateway.
     */
    noted?(note: string): void;
    /**
     * Called when a thread has ended because of an error. Another thread makes the unfinished runs of that thread
     * again.
     */
    threadEnded?(why: string): void;
  };
}

interface NotAsked {
  readonly why: ReadonlyMap<string, string>;
  readonly schedules: readonly Schedule[];
}

/** The result of an exploration. */
export interface Exploration {
  readonly plain: RunRecord;
  /** Set if the two runs without faults are not the same. In this case, nothing was explored. */
  readonly differs: PlainRunDifference | undefined;
  /** The differences between the two plain runs that do not prevent the exploration, each as a line of text. */
  readonly remarks: readonly string[];
  readonly plans: readonly Schedule[];
  /** Whether the exploration was limited to schedules that the user named. */
  readonly isPart: boolean;
  readonly explored: readonly ExploredSchedule[];
  readonly left: readonly Schedule[];
  /** The number of runs that repeated a failure, or tried a simpler schedule for it. */
  readonly replays: number;
  /** The faults that cannot be tried in this exploration, each with the reason. */
  readonly impossible: ReadonlyMap<string, string>;
  /**
   * Lines of the report about moments that occurred more often than the limit. Faults were tried only at the first
   * occurrences of these moments.
   */
  readonly oftener: readonly string[];
  /** The schedules that were not run because an option was missing. `why` has the reason for each group of faults. */
  readonly notAsked: NotAsked;
  readonly stopped: boolean;
  readonly tookMs: number;
}

/** The time limit of the first plain run, because no earlier run shows how long a run takes. */
const firstRunMs = 120_000;
const leastRunMs = 60_000;
/** The shortest time limit of a run in real time, because an answer may come 210 s late. */
const leastRealMs = 420_000;
/**
 * If a command has sent no request for this many milliseconds, explore ends the command, because the command seems not
 * to know the gateway's address.
 */
const silentMs = 60_000;

/**
 * Runs the command twice without faults, then once for each fault at each moment that the command reached. Closes
 * `arena` at the end, even if the command cannot be run.
 *
 * @throws StartError if the command cannot be run
 */
export async function explore(options: ExplorationOptions): Promise<Exploration> {
  try {
    return await exploreInThreads(options);
  } finally {
    await options.arena.close();
  }
}

async function exploreInThreads(options: ExplorationOptions): Promise<Exploration> {
  const { clock, stopped, progress } = options;
  for (const schedule of options.only ?? []) {
    checkPossible(schedule, options);
    checkCombinable(schedule);
  }
  const threads = await RunThreadPool.start(settingsOf(options), {
    ...options,
    threadEnded: (why) => progress.threadEnded?.(why),
  });
  for (const note of threads.here.leads?.notes ?? []) progress.noted?.(note);
  const tookMs = startStopwatch(clock);
  try {
    const found = await exploreWith(options, threads);
    return { ...found, stopped: stopped.aborted, tookMs: tookMs() };
  } finally {
    await threads.close();
  }
}

/** Returns the options that can be sent to a thread. */
function settingsOf(options: ExplorationOptions): RunSettings {
  const { argv, before, restart, pidFile, env, linger, as, scenario, shopper } = options;
  const environment = { ...process.env };
  return { argv, before, restart, pidFile, env, environment, linger, as, scenario, shopper };
}

/** Makes the two plain runs and, if they are the same, the runs with faults. */
async function exploreWith(
  options: ExplorationOptions,
  threads: RunThreadPool,
): Promise<Omit<Exploration, 'stopped' | 'tookMs'>> {
  const { arena, stopped, only } = options;
  const { leads } = threads.here;
  const withoutFaults = { schedule: [], limitMs: options.timeoutMs ?? firstRunMs };
  const plain = await threads.here.make({ ...withoutFaults, silentMs }, 0);
  const base = {
    plain,
    remarks: [],
    plans: [],
    isPart: only !== undefined,
    explored: [],
    left: [],
    replays: 0,
    oftener: [],
    differs: undefined,
    impossible: arena.impossible,
    notAsked: notAskedOf(options, plain),
  };
  if (stopped.aborted) return base;
  if (leads?.nothingCame ?? plain.requests.length === 0) throw new StartError(sentNothingText(plain, leads));
  const again = await threads.here.make(withoutFaults, 0);
  const differs = findFirstDifference(plain, again);
  const plans = only ?? plansOf(plain, withoutOf(options));
  options.progress.planned?.(plain, plans);
  if (differs || plain.ended.code !== 0 || plain.ended.timedOut) return { ...base, differs, plans };
  const { explored, left, replays } = await searchFrom(plain, plans, options, threads);
  const runs = [plain, ...explored.map((each) => each.run)];
  const oftener = only ? [] : untriedOccurrenceLines(runs.map(({ passed }) => passed));
  return {
    ...base,
    plans,
    explored,
    left,
    replays,
    remarks: findNonRequestDifferences(plain, again),
    oftener,
  };
}

function searchFrom(
  plain: RunRecord,
  plans: readonly Schedule[],
  options: ExplorationOptions,
  threads: RunThreadPool,
) {
  const { arena, clock, workers, stopped, pairs } = options;
  const leastMs = arena.isShared ? leastRealMs : leastRunMs;
  const limitMs = options.timeoutMs ?? Math.max(10 * plain.tookMs, leastMs);
  return runSchedules({
    run: (schedule) => threads.make({ schedule, limitMs: limitMs + longestExtraRunRealMs(schedule) }),
    ...{ plain, plans, workers, clock, stopped, pairs, goesOn: options.only === undefined },
    without: withoutOf(options),
    endsAt: options.limitMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + options.limitMs,
    ...options.progress,
  });
}

/**
 * Returns a schedule for each fault at each moment of the plain run. The last schedule has the fault `holdAnswer`,
 * which stops time until the POS hangs up. This fault is tried at only one request.
 */
function plansOf(plain: RunRecord, without: ReadonlySet<string>): Schedule[] {
  const singles = faultsAtPassedMoments(plain.passed, without);
  const order = new Map<string, number>(faultGroups.map((group, at) => [group, at]));
  const place = (schedule: Schedule) =>
    Math.max(...schedule.map((planned) => order.get(faultKindOf(planned).group) ?? 0));
  const first = plain.requests.find(
    ({ method, point }) => method !== 'GET' && Object.hasOwn(requestPoints, point),
  );
  const held =
    first && !without.has('POS link') ? [[{ fault: 'holdAnswer', moment: first.point, nth: 1 }]] : [];
  return [...singles.map((planned) => [planned]).sort((one, other) => place(one) - place(other)), ...held];
}

/** @throws StartError if the schedule has an unknown fault, or a fault that is not possible in this exploration */
function checkPossible(schedule: Schedule, { arena, restart }: ExplorationOptions): void {
  for (const planned of schedule) {
    const { group } = faultKindOf(planned);
    const why = arena.impossible.get(group);
    if (why !== undefined) throw new StartError(`${scheduleText([planned])} is not possible here: ${why}`);
    if (group === 'POS crash' && restart === undefined)
      throw new StartError(
        `${scheduleText([planned])} needs --restart, which starts your point of sale again`,
      );
  }
}

function withoutOf(options: ExplorationOptions): ReadonlySet<string> {
  return new Set([...options.arena.impossible.keys(), ...lackingOf(options).keys()]);
}

function lackingOf({ restart, shopper }: ExplorationOptions): ReadonlyMap<string, string> {
  return new Map([
    ...(restart === undefined ? [['POS crash', 'no --restart'] as const] : []),
    ...(shopper ? [] : [['shopper', 'no --shopper'] as const]),
  ]);
}

function notAskedOf(options: ExplorationOptions, plain: RunRecord): NotAsked {
  const why: ReadonlyMap<string, string> = options.only ? new Map() : lackingOf(options);
  const all = why.size === 0 ? [] : plansOf(plain, new Set(options.arena.impossible.keys()));
  const isLacking = (schedule: Schedule) => schedule.some((planned) => why.has(faultKindOf(planned).group));
  return { why, schedules: all.filter(isLacking) };
}

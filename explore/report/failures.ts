import type { Exploration } from '../exploration.ts';
import { faultKindOf } from '../plan/catalogue.ts';
import { type FaultGroup, faultGroups } from '../plan/fault-kind.ts';
import { scheduleText } from '../plan/schedule.ts';
import type { ExploredSchedule } from '../search/run-schedules.ts';
import { findRunFailureCause, type RunFailureCause } from '../verdict/cause.ts';
import { isFailure } from '../verdict/verdict.ts';
import { findUnreachedSituations } from './never-reached.ts';

/** Failures with the same cause. Reports show the first failure in full, and name the other failures. */
export interface FailureGroup {
  readonly shown: ExploredSchedule;
  readonly also: readonly ExploredSchedule[];
  readonly cause: RunFailureCause;
}

/** The findings of an exploration. All reports show these findings. */
export interface ExplorationFindings {
  readonly failures: readonly FailureGroup[];
  /** Failures that the file of known failures names. */
  readonly known: readonly ExploredSchedule[];
  readonly unstable: readonly ExploredSchedule[];
  readonly survived: readonly ExploredSchedule[];
  /** Runs in which the command failed although the money is right. */
  readonly testFails: readonly ExploredSchedule[];
  readonly covered: readonly { group: FaultGroup; tried: number; of: number; why: string | undefined }[];
  /** The situations that no run reached, in words. */
  readonly neverReached: readonly string[];
}

export function groupExplorationFindings(
  exploration: Exploration,
  known: ReadonlySet<string> = new Set(),
): ExplorationFindings {
  const { explored } = exploration;
  const fine = explored.filter(({ verdict }) => !isFailure(verdict));
  const survived = fine.filter(({ verdict }) => verdict.is === 'survived');
  const bad = explored.filter(({ verdict, unstable }) => isFailure(verdict) && !unstable);
  const isKnown = ({ schedule }: ExploredSchedule) => known.has(scheduleText(schedule));
  return {
    failures: grouped(
      bad.filter((one) => !isKnown(one)),
      [{ schedule: [], run: exploration.plain }, ...survived],
    ),
    known: bad.filter(isKnown),
    unstable: explored.filter(({ unstable }) => unstable),
    survived,
    testFails: fine.filter(({ verdict }) => verdict.is === 'testFails'),
    covered: coverage(exploration),
    neverReached: findUnreachedSituations(exploration),
  };
}

function grouped(
  bad: readonly ExploredSchedule[],
  survived: Parameters<typeof findRunFailureCause>[1],
): FailureGroup[] {
  const found = new Map<
    string,
    { shown: ExploredSchedule; also: ExploredSchedule[]; cause: RunFailureCause }
  >();
  for (const one of bad) {
    const cause = findRunFailureCause(one, survived);
    const group = found.get(cause.key);
    if (group) group.also.push(one);
    else found.set(cause.key, { shown: one, also: [], cause });
  }
  return [...found.values()];
}

function coverage(exploration: Exploration): ExplorationFindings['covered'] {
  const { plans, explored, left, impossible, notAsked } = exploration;
  const tried = explored.map(({ wanted }) => wanted);
  const known = [...plans, ...tried, ...left, ...notAsked.schedules];
  const all = new Map(known.map((schedule) => [scheduleText(schedule), schedule]));
  const [of, done] = [countsOf(all.values()), countsOf(tried)];
  return faultGroups.flatMap((group) => {
    const those = of.get(group) ?? 0;
    const why = impossible.get(group) ?? notAsked.why.get(group);
    return those === 0 && !impossible.has(group)
      ? []
      : [{ group, tried: done.get(group) ?? 0, of: those, why }];
  });
}

/** Counts schedules by the group of their last fault, because a schedule tests its last fault. */
function countsOf(schedules: Iterable<ExploredSchedule['schedule']>): Map<FaultGroup, number> {
  const counts = new Map<FaultGroup, number>();
  for (const schedule of schedules) {
    const last = schedule.at(-1);
    if (!last) continue;
    const { group } = faultKindOf(last);
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return counts;
}

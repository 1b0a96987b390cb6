import { StartError } from '../../shared/start-error.ts';
import { faultKindOf } from './catalogue.ts';
import type { FaultGroup } from './fault-kind.ts';
import { type PlannedFault, type Schedule, scheduleText } from './schedule.ts';

/**
 * In these groups, a fault uses up the occurrence of a moment at which it happens: the gateway does not count this
 * occurrence for the other faults of these groups.
 */
const usingUpOccurrences: readonly FaultGroup[] = ['POS link', 'POS crash', 'webhook'];
/** Groups in which a new fault replaces the earlier fault for the same moment. */
const replacingAtMoment: readonly FaultGroup[] = ['terminal', 'gateway'];
/**
 * Groups in which only one fault can be set. A new fault replaces the earlier fault, even if the two faults have
 * different moments.
 */
const oneAtATime: readonly FaultGroup[] = ['host', 'shopper'];

/**
 * Returns a schedule in the form in which its faults are set at the gateway. The faults are in order of occurrence. If
 * the gateway counts a fault's occurrences together with those of other faults, the fault gets the field `after`. A
 * fault that happens several times in a row becomes one fault with `times`.
 */
export function scheduleForArming(schedule: Schedule): Schedule {
  const set: PlannedFault[] = [];
  for (const planned of [...schedule].sort(byNumber)) {
    const before = set.filter((other) => areAlike(other, planned));
    const last = before.at(-1);
    if (last && isFollowedBy(last, planned))
      set[set.indexOf(last)] = { ...last, times: (last.times ?? 1) + 1 };
    else if (planned.nth === 'all' || !usingUpOccurrences.includes(groupOf(planned))) set.push(planned);
    else set.push({ ...planned, after: planned.nth - 1 - before.length });
  }
  return set;
}

/** @throws StartError if the schedule's faults cannot be set together */
export function checkCombinable(schedule: Schedule): void {
  if (!isCombinable(schedule))
    throw new StartError(
      `${scheduleText(schedule)}: these faults cannot be combined, because one replaces the other`,
    );
}

/** Whether all faults of a schedule can be set together. */
export function isCombinable(schedule: Schedule): boolean {
  const inOrder = [...schedule].sort(byNumber);
  return inOrder.every((planned, index) =>
    inOrder.slice(0, index).every((other) => {
      if (oneAtATime.includes(groupOf(planned))) return groupOf(other) !== groupOf(planned);
      if (!areAlike(other, planned)) return true;
      if (replacingAtMoment.includes(groupOf(planned))) return isFollowedBy(other, planned);
      return other.nth !== planned.nth && other.nth !== 'all' && planned.nth !== 'all';
    }),
  );
}

function groupOf(planned: PlannedFault): FaultGroup {
  return faultKindOf(planned).group;
}

/**
 * Whether two faults have the same moment and influence each other: if one of them is set, the other may happen at
 * another occurrence, or not at all.
 */
function areAlike(other: PlannedFault, planned: PlannedFault): boolean {
  if (other.moment !== planned.moment) return false;
  return [usingUpOccurrences, replacingAtMoment].some(
    (those) => those.includes(groupOf(other)) && those.includes(groupOf(planned)),
  );
}

/**
 * Whether `planned` is the same fault as `other`, but at the next occurrence of the moment. If so, both are set as one
 * fault that happens several times.
 */
function isFollowedBy(other: PlannedFault, planned: PlannedFault): boolean {
  if (!replacingAtMoment.includes(groupOf(planned)) || other.fault !== planned.fault) return false;
  return other.nth !== 'all' && planned.nth === other.nth + (other.times ?? 1);
}

function byNumber(first: PlannedFault, second: PlannedFault): number {
  return numberOf(first) - numberOf(second);
}

function numberOf({ nth }: PlannedFault): number {
  return nth === 'all' ? 0 : nth;
}

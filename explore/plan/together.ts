import { StartError } from '../../shared/start-error.ts';
import { faultKindOf } from './catalogue.ts';
import type { Group } from './fault-kind.ts';
import { type Planned, type Schedule, scheduleText } from './planned.ts';

/**
 * Groups in which a fault uses up the occurrence of the moment at which it happens. Later faults do not count that
 * occurrence.
 */
const takes: readonly Group[] = ['POS link', 'POS crash', 'webhook'];
/** Groups in which a new fault replaces the earlier fault for the same moment. */
const replaces: readonly Group[] = ['terminal', 'gateway'];
/** Groups with one fault at a time: a new fault replaces the earlier one, even if the two have different moments. */
const one: readonly Group[] = ['host', 'shopper'];

/**
 * Returns a schedule in the form in which it is set. The faults are in order of occurrence. `after` is set for the
 * groups whose faults use up occurrences, and repetitions of one fault become `times`.
 */
export function asSet(schedule: Schedule): Schedule {
  const set: Planned[] = [];
  for (const planned of [...schedule].sort(byNumber)) {
    const before = set.filter((other) => areAlike(other, planned));
    const last = before.at(-1);
    if (last && isFollowedBy(last, planned))
      set[set.indexOf(last)] = { ...last, times: (last.times ?? 1) + 1 };
    else if (planned.nth === 'all' || !takes.includes(groupOf(planned))) set.push(planned);
    else set.push({ ...planned, after: planned.nth - 1 - before.length });
  }
  return set;
}

/** @throws StartError if the schedule's faults cannot be set together */
export function checkTogether(schedule: Schedule): void {
  if (!fitTogether(schedule))
    throw new StartError(
      `${scheduleText(schedule)}: these faults cannot be combined, because one replaces the other`,
    );
}

/** Whether all faults of a schedule can be set together. */
export function fitTogether(schedule: Schedule): boolean {
  const inOrder = [...schedule].sort(byNumber);
  return inOrder.every((planned, index) =>
    inOrder.slice(0, index).every((other) => {
      if (one.includes(groupOf(planned))) return groupOf(other) !== groupOf(planned);
      if (!areAlike(other, planned)) return true;
      if (replaces.includes(groupOf(planned))) return isFollowedBy(other, planned);
      return other.nth !== planned.nth && other.nth !== 'all' && planned.nth !== 'all';
    }),
  );
}

function groupOf(planned: Planned): Group {
  return faultKindOf(planned).group;
}

/** Whether two faults have the same moment, and the gateway counts or replaces them together. */
function areAlike(other: Planned, planned: Planned): boolean {
  if (other.moment !== planned.moment) return false;
  return [takes, replaces].some(
    (those) => those.includes(groupOf(other)) && those.includes(groupOf(planned)),
  );
}

/**
 * Whether `planned` is the same fault as `other` at the next occurrence of the moment. The two are then set as one
 * fault that happens several times.
 */
function isFollowedBy(other: Planned, planned: Planned): boolean {
  if (!replaces.includes(groupOf(planned)) || other.fault !== planned.fault) return false;
  return other.nth !== 'all' && planned.nth === other.nth + (other.times ?? 1);
}

function byNumber(first: Planned, second: Planned): number {
  return numberOf(first) - numberOf(second);
}

function numberOf({ nth }: Planned): number {
  return nth === 'all' ? 0 : nth;
}

import { StartError } from '../../shared/start-error.ts';
import { faultKindOf } from './catalogue.ts';
import type { Group } from './fault-kind.ts';
import { type Planned, type Schedule, scheduleText } from './planned.ts';

/** Groups in which a moment that one fault takes is not counted for the next. */
const takes: readonly Group[] = ['POS link', 'POS crash', 'webhook'];
/** Groups in which a new fault replaces the one that was set for the same moment. */
const replaces: readonly Group[] = ['terminal', 'gateway'];
/** Groups that have one fault at a time: a new one replaces any that was set before. */
const one: readonly Group[] = ['host', 'shopper'];

/** Gives a schedule as it is set: in the order in which it happens, each fault with how often its moment passes before. */
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

/** @throws StartError if they cannot be set together */
export function checkTogether(schedule: Schedule): void {
  if (!fitTogether(schedule))
    throw new StartError(
      `${scheduleText(schedule)}: these faults cannot be combined, because one replaces the other`,
    );
}

/** Whether all of a schedule can be set. */
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

/** Whether two faults are set for the same requests, moment or events. */
function areAlike(other: Planned, planned: Planned): boolean {
  if (other.moment !== planned.moment) return false;
  return [takes, replaces].some(
    (those) => those.includes(groupOf(other)) && those.includes(groupOf(planned)),
  );
}

/** Whether a fault happens again the next time that its moment comes. Such faults are set as one, with a number of times. */
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

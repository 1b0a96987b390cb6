import { findMeantName } from '../../shared/did-you-mean.ts';
import { momentNames } from '../../shared/moments.ts';
import { StartError } from '../../shared/start-error.ts';
import { eventFaults } from './event-faults.ts';
import type { FaultGroup, FaultKind } from './fault-kind.ts';
import { hostFaults } from './host-faults.ts';
import { posCrashes } from './pos-crashes.ts';
import { posLinkFaults } from './pos-link-faults.ts';
import { describeRequestPoint, requestPoints } from './request-points.ts';
import { kindInFaultName, type PlannedFault, type Schedule, scheduleText } from './schedule.ts';
import { shopperFaults } from './shopper-faults.ts';
import { gatewayCrash, networkOffFault, powerOffFault, startMoment } from './terminal-faults.ts';

/** All kinds of faults, in the order in which they are tried at a moment. */
const faultKinds: readonly FaultKind[] = [
  ...posLinkFaults,
  powerOffFault,
  networkOffFault,
  ...hostFaults,
  ...shopperFaults,
  gatewayCrash,
  ...eventFaults,
  ...posCrashes,
];

const byKind = new Map(faultKinds.map((kind) => [kind.kind, kind]));

/** @throws StartError if there is no such fault, or if it cannot happen at that moment */
export function faultKindOf(planned: PlannedFault): FaultKind {
  const kind = byKind.get(kindInFaultName(planned.fault));
  const text = scheduleText([planned]);
  if (!kind)
    throw new StartError(
      `${text}: there is no fault ${planned.fault}; the faults are ${[...byKind.keys()].join(', ')}`,
    );
  if (!kind.fits(planned.moment))
    throw new StartError(`${text}: ${kind.kind} cannot happen at ${planned.moment}${meant(planned.moment)}`);
  return kind;
}

/**
 * Returns text for the message about a name that is not a moment. The text suggests the moment with the most similar
 * name. If the name is a moment, the text is empty.
 */
function meant(moment: string): string {
  const all = [...Object.keys(nonPaymentMomentDescriptions), ...momentNames];
  if (all.includes(moment)) return '';
  const similar = findMeantName(moment, all) ?? all.find((name) => name.startsWith(moment));
  return `, which is not a moment${similar === undefined ? '' : `; did you mean ${similar}?`} (pinpad explore --list)`;
}

/** Describes a schedule in words, such as `the answer is lost at payment-request #1`. */
export function describeSchedule(schedule: Schedule): string {
  return schedule
    .map((planned) => `${faultKindOf(planned).says(planned.fault, planned.moment)} ${when(planned)}`)
    .join('; then ');
}

function when({ moment, nth }: PlannedFault): string {
  return moment === startMoment ? 'from the start' : `at ${moment} #${nth}`;
}

/** Returns the virtual milliseconds during which the faults may still have an effect after the command has ended. */
export function lastingEffectMs(schedule: Schedule): number {
  return Math.max(0, ...schedule.map((planned) => faultKindOf(planned).lastsMs?.(planned.fault) ?? 0));
}

/** Returns the real milliseconds by which the faults may make a run longer than the plain run. */
export function longestExtraRunRealMs(schedule: Schedule): number {
  return Math.max(0, ...schedule.map((planned) => faultKindOf(planned).realMs ?? 0));
}

export function needsDataFolder(schedule: Schedule): boolean {
  return schedule.some((planned) => faultKindOf(planned).needsFolder === true);
}

/**
 * The groups of faults that are set for a whole run. These faults are tried only at the first occurrence of a moment.
 */
const setOnce: readonly FaultGroup[] = ['host', 'shopper'];

/** Whether a fault is tried only at the first occurrence of its moment. */
export function isTriedAtFirstOccurrenceOnly(planned: PlannedFault): boolean {
  return setOnce.includes(faultKindOf(planned).group);
}

/** All moments except those of a payment (which docs/moments.md lists), each with a description. */
export const nonPaymentMomentDescriptions: Readonly<Record<string, string>> = {
  [startMoment]: 'Your point of sale has not begun yet',
  ...Object.fromEntries(
    Object.entries(requestPoints).map(([name, point]) => [name, `${describeRequestPoint(point)} arrives`]),
  ),
  screens: 'Any screen of a payment is shown',
  host: 'The host is asked to authorize',
  event: 'An event of a webhook is published',
};

/** Returns what `pinpad explore --list` shows: for each moment, all faults that are tried at this moment. */
export function listAllFaults(): PlannedFault[] {
  const names = [...Object.keys(nonPaymentMomentDescriptions), ...momentNames];
  return names.flatMap((moment) => [
    ...faultsAt(moment, 1),
    ...(requestPoints[moment]?.acts ? [{ fault: 'holdAnswer', moment, nth: 1 }] : []),
  ]);
}

/** Returns all faults to try at the `nth` time that a moment is reached. */
export function faultsAt(
  moment: string,
  nth: number,
  without: ReadonlySet<string> = new Set(),
): PlannedFault[] {
  return faultKinds
    .filter(({ group }) => !without.has(group) && (nth === 1 || !setOnce.includes(group)))
    .flatMap(({ appliesAt }) => appliesAt(moment))
    .map((fault) => ({ fault, moment, nth }));
}

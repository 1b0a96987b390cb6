import { StartError } from '../../shared/start-error.ts';

/** One thing that goes wrong: which, at which moment, and at which of them: the first, the second, or all of them. */
export interface Planned {
  /** Its kind and what it is set to, such as `failAnswer-503` or `late-45s`. */
  readonly fault: string;
  /** `payment-request`, `status`, a terminal's or the gateway's moment such as `pin` or `before.concluded`, `host`, `event`. */
  readonly moment: string;
  readonly nth: number | 'all';
  /** How many of its moment are let through, where others of the schedule take some (`asSet`). */
  readonly after?: number;
  /** How often it happens one after the other, where that is not once. */
  readonly times?: number;
}

/** Everything that goes wrong in a run; empty for the plain run. */
export type Schedule = readonly Planned[];

const form = /^([a-zA-Z]+(?:-[a-zA-Z0-9.]+)*)@([a-zA-Z][a-zA-Z.-]*?)(?:\.(\d{1,6}|all))?$/;

/** `failAnswer-503@payment-request.1`; of several, with `+` in between. */
export function scheduleText(schedule: Schedule): string {
  return schedule.map(({ fault, moment, nth }) => `${fault}@${moment}.${nth}`).join('+');
}

/**
 * Reads what {@link scheduleText} writes.
 *
 * @throws StartError if it is no such text
 */
export function parseSchedule(text: string): Schedule {
  return text.split('+').map((part) => {
    const [, fault = '', moment = '', nth = '1'] = form.exec(part.trim()) ?? [];
    if (fault === '' || nth === '0')
      throw new StartError(
        `${part}: a fault is named such as failAnswer-503@payment-request.1 (pinpad explore --list)`,
      );
    return { fault, moment, nth: nth === 'all' ? nth : Number(nth) };
  });
}

/** `"45s"` of `late-45s`, in milliseconds; undefined if it has no time. */
export function durationOf(fault: string): number | undefined {
  const [, amount, unit] = /-(\d+(?:\.\d+)?)(ms|s)$/.exec(fault) ?? [];
  if (amount === undefined) return undefined;
  return Math.round(Number(amount) * (unit === 's' ? 1_000 : 1));
}

/** `late` of `late-45s`, `failAnswer` of `failAnswer-503`. */
export function kindOf(fault: string): string {
  return fault.split('-')[0] ?? fault;
}

/** What stands behind the first hyphen, if anything does. */
export function parameterOf(fault: string): string | undefined {
  const at = fault.indexOf('-');
  return at < 0 ? undefined : fault.slice(at + 1);
}

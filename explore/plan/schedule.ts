import { StartError } from '../../shared/start-error.ts';

/**
 * One fault and its moment. The fault happens at the `nth` occurrence of the moment. The first occurrence has the
 * number 1.
 */
export interface PlannedFault {
  /** The fault's kind and its setting, such as `failAnswer-503` or `late-45s`. */
  readonly fault: string;
  /**
   * The name of the moment. It is a request such as `status`, a moment of the terminal or the gateway such as `pin`
   * or `before.concluded`, or one of `host`, `event`, `screens` and `start`.
   */
  readonly moment: string;
  readonly nth: number | 'all';
  /**
   * The number of occurrences of the moment that pass before the fault happens. Occurrences at which other faults
   * happen do not count (`scheduleForArming`).
   */
  readonly after?: number;
  /** How many times in a row the fault happens; once if absent. */
  readonly times?: number;
}

/** All faults of a run; empty for the plain run. */
export type Schedule = readonly PlannedFault[];

const form = /^([a-zA-Z]+(?:-[a-zA-Z0-9.]+)*)@([a-zA-Z][a-zA-Z.-]*?)(?:\.(\d{1,6}|all))?$/;

/** Returns the schedule as text, such as `failAnswer-503@payment-request.1`, with `+` between several faults. */
export function scheduleText(schedule: Schedule): string {
  return schedule.map(({ fault, moment, nth }) => `${fault}@${moment}.${nth}`).join('+');
}

/**
 * Reads a schedule that {@link scheduleText} has written.
 *
 * @throws StartError if the text is not a schedule
 */
export function parseSchedule(text: string): Schedule {
  return text.split('+').map((part) => {
    const [, fault = '', moment = '', nth = '1'] = form.exec(part.trim()) ?? [];
    if (fault === '' || nth === '0')
      throw new StartError(
        `${part} is not a fault; write a fault such as failAnswer-503@payment-request.1  ("pinpad explore --list" lists all faults)`,
      );
    return { fault, moment, nth: nth === 'all' ? nth : Number(nth) };
  });
}

/**
 * Returns the duration in a fault's name in milliseconds, such as 45 000 for `late-45s`; undefined if the name has
 * none.
 */
export function durationMsInFaultName(fault: string): number | undefined {
  const [, amount, unit] = /-(\d+(?:\.\d+)?)(ms|s)$/.exec(fault) ?? [];
  if (amount === undefined) return undefined;
  return Math.round(Number(amount) * (unit === 's' ? 1_000 : 1));
}

/** Returns the kind of a fault: `late` for `late-45s`, `failAnswer` for `failAnswer-503`. */
export function kindInFaultName(fault: string): string {
  return fault.split('-')[0] ?? fault;
}

/** Returns the part of a fault's name after the first hyphen; undefined if there is no hyphen. */
export function parameterInFaultName(fault: string): string | undefined {
  const at = fault.indexOf('-');
  return at < 0 ? undefined : fault.slice(at + 1);
}

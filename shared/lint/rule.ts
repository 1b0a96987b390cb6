import type { JournalEntry } from '../journal.ts';
import type { PosRequest } from '../requests/pos-request.ts';
import { beginsAtTerminal } from '../sales/request-kind.ts';

/** Everything that a point of sale did, as far as the journal shows it. */
export interface LintInput {
  /** The requests in the order in which they came. */
  readonly requests: readonly PosRequest[];
  /** The messages with a wrong signature that were sent to the receivers of the point of sale. */
  readonly probes: readonly JournalEntry<'webhook.probed'>[];
  /**
   * Whether too many payments share the request's reference. Such a reference does not show which payments belong
   * together.
   */
  isCrowded(request: PosRequest): boolean;
  /** Returns the entry that says how a payment ended, if the journal has one. */
  conclusionOf(payment: string): JournalEntry<'payment.concluded'> | undefined;
  /**
   * Whether the payment's outcome was sent to the point of sale in an event, and the point of sale accepted the event.
   */
  wasSent(payment: string): boolean;
  /**
   * The point of sale was watched until this moment, in epoch milliseconds of the journal's clock. Later, the point of
   * sale may still do what it has not done yet. The moment is infinite if the point of sale has finished.
   */
  readonly until: number;
  /** The same moment as `until`, but on the real clock, if the journal's clock is virtual. */
  readonly realUntil: number;
}

/** One occurrence of a mistake: what was seen, and the entries that show the mistake. */
export interface Occurrence {
  readonly what: string;
  readonly entries: readonly JournalEntry[];
  readonly payment?: string;
  /** The request that is at fault. */
  readonly of?: PosRequest;
  /** Occurrences with the same cause become one finding. An occurrence without a cause becomes a finding by itself. */
  readonly cause?: string;
  /** The fix for this case, if it is more precise than the rule's own fix. */
  readonly fix?: string;
}

/**
 * `error`: money or goods are lost, or a forged message is trusted. `warning`: the harm is smaller, or happens only
 * with bad luck.
 */
export type Severity = 'error' | 'warning';

/** One kind of mistake of a point of sale. Such mistakes often go unnoticed until they do harm. */
export interface LintRule {
  /** The name of the rule's section in docs/lint.md. */
  readonly id: string;
  readonly severity: Severity;
  /** Why the mistake matters, in a sentence. */
  readonly why: string;
  /** How to fix the mistake, in a sentence. */
  readonly fix: string;
  /** The fix for a point of sale that speaks nexo. */
  readonly fixInNexo?: string;
  check(watched: LintInput): Occurrence[];
}

/** If the point of sale has not acted after this time, in milliseconds, it counts as having failed to act. */
const patienceMs = 60_000;
/**
 * At least this much of `patienceMs` must be real time, because a test may advance virtual time while the point of sale
 * is about to ask.
 */
const realPatienceMs = 10_000;

/** Whether a point of sale has had enough time to act after the entry `end`. */
export function hadTimeToAct(
  { until, realUntil }: Pick<LintInput, 'until' | 'realUntil'>,
  end: JournalEntry,
): boolean {
  const inRealTime = end.realAt === undefined || realUntil - end.realAt >= realPatienceMs;
  return until - end.at >= patienceMs && inRealTime;
}

/** All entries of a request, in order. */
export function entriesOfRequest({ received, answered, hungUp }: PosRequest): JournalEntry[] {
  return [received, answered, hungUp].filter((entry) => entry !== undefined);
}

/**
 * Describes a mistake in one request as an occurrence. By default, the occurrence lists the entries of that request.
 */
export function makeRequestOccurrence(
  request: PosRequest,
  what: string,
  more: Partial<Occurrence> = {},
): Occurrence {
  return { of: request, what, entries: entriesOfRequest(request), payment: request.payment, ...more };
}

/** Describes each entry of this kind as one occurrence of a mistake. Such an entry names fields of a request. */
export function findFieldOccurrences(
  { requests }: LintInput,
  kind: 'request.cardNumber' | 'request.unknownField',
  what: string,
): Occurrence[] {
  return requests.flatMap((request) =>
    request.notes
      .filter((note) => note.kind === kind)
      .map((note) =>
        makeRequestOccurrence(
          request,
          `${formatMethodAndPath(request)} ${what}: ${note.data.paths.join(', ')}`,
          {
            cause: `${request.kind} ${note.data.paths}`,
            entries: [...entriesOfRequest(request), note],
          },
        ),
      ),
  );
}

/** The entry that says how a request ended; undefined while the request is open. */
export function endEntryOf({ answered, hungUp }: PosRequest): JournalEntry | undefined {
  return answered ?? hungUp;
}

/**
 * Whether the outcome is unknown, because the service failed or did not answer. After a 501 the outcome is known: the
 * service does not support the request and has done nothing (B41).
 */
export function isOutcomeUnknown({ status, hungUp }: PosRequest): boolean {
  if (status === undefined) return hungUp !== undefined;
  return status >= 500 && status !== 501;
}

/** Whether the answer is only an acknowledgement, and the payment is still in progress (B43). */
export function isPaymentUnderWay({ status }: PosRequest): boolean {
  return status === 303 || status === 202;
}

/**
 * Whether the point of sale got a whole answer with a result. For a request of one of the kinds named here, every
 * answer with the status 200 contains a result.
 */
export function hasOutcome({ kind, status }: PosRequest): boolean {
  return (beginsAtTerminal(kind) || kind === 'status' || kind === 'latest') && status === 200;
}

/**
 * Returns how long a point of sale took between two entries, in milliseconds. If the clock is virtual, the point of
 * sale may sleep in virtual time, or in real time while virtual time stands still. The longer of the two times counts
 * (B250).
 */
export function elapsedMsBetween(from: JournalEntry, to: JournalEntry): number {
  const realMs = (to.realAt ?? Number.NEGATIVE_INFINITY) - (from.realAt ?? Number.POSITIVE_INFINITY);
  return Math.max(to.at - from.at, realMs);
}

/** Returns a request's method and path, for example `POST /terminals/…/payment-request`. */
export function formatMethodAndPath({ method, path }: PosRequest): string {
  return `${method} ${path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, '…')}`;
}

import type { JournalEntry } from '../journal.ts';
import type { PosRequest } from '../requests/pos-request.ts';
import { beginsAtTerminal } from '../sales/request-kind.ts';

/** What a point of sale did, as far as the journal shows. */
export interface Watched {
  /** In the order they came. */
  readonly requests: readonly PosRequest[];
  /** The messages with a wrong signature that its receivers got. */
  readonly probes: readonly JournalEntry<'webhook.probed'>[];
  /** Whether too many payments share its reference to say which belong together. */
  isCrowded(request: PosRequest): boolean;
  /** How a payment ended, where the journal says so. */
  conclusionOf(payment: string): JournalEntry<'payment.concluded'> | undefined;
  /** Whether the point of sale was sent how it ended, and took that. */
  wasSent(payment: string): boolean;
  /**
   * How long it was watched, epoch milliseconds of the journal's clock; infinite if it is over. What it
   * has not done yet it may still do.
   */
  readonly until: number;
  /** The same in real time, where the journal's clock is virtual. */
  readonly realUntil: number;
}

/** One occurrence: what was seen, and the entries that show it. */
export interface Seen {
  readonly what: string;
  readonly entries: readonly JournalEntry[];
  readonly payment?: string;
  /** The request that is wrong. */
  readonly of?: PosRequest;
  /** Occurrences of one cause are one finding; one without stands for itself. */
  readonly cause?: string;
  /** What to do in this case, where that is more precise than the rule's. */
  readonly fix?: string;
}

/** `error`: money or goods are lost, or a stranger is believed. `warning`: something else goes wrong, or only with bad luck. */
export type Severity = 'error' | 'warning';

/** One way a point of sale can be wrong that works until it does not. */
export interface LintRule {
  /** Its section in docs/lint.md. */
  readonly id: string;
  readonly severity: Severity;
  /** Why it matters, in a sentence. */
  readonly why: string;
  /** How to fix it, in a sentence. */
  readonly fix: string;
  /** The same for a point of sale that speaks nexo. */
  readonly fixInNexo?: string;
  check(watched: Watched): Seen[];
}

/** How long a point of sale may take to do the next thing before it is said not to do it. */
const patienceMs = 60_000;
/** As much of it is real time: virtual time may be moved while the point of sale is about to ask. */
const realPatienceMs = 10_000;

/** Whether a point of sale had its time to do something after `end`. */
export function hadItsTime(
  { until, realUntil }: Pick<Watched, 'until' | 'realUntil'>,
  end: JournalEntry,
): boolean {
  const inRealTime = end.realAt === undefined || realUntil - end.realAt >= realPatienceMs;
  return until - end.at >= patienceMs && inRealTime;
}

/** All entries of a request, in order. */
export function requestEntries({ received, answered, hungUp }: PosRequest): JournalEntry[] {
  return [received, answered, hungUp].filter((entry) => entry !== undefined);
}

/** When a request was over, and undefined while it is open. */
export function endOf({ answered, hungUp }: PosRequest): JournalEntry | undefined {
  return answered ?? hungUp;
}

/**
 * Answered by a fault of the service, or not at all: the outcome is unknown. A 501 is no fault: what the
 * service does not do it has not done (B41).
 */
export function leftUnknown({ status, hungUp }: PosRequest): boolean {
  if (status === undefined) return hungUp !== undefined;
  return status >= 500 && status !== 501;
}

/** Answered with what is only an acknowledgement: the payment goes on (B43). */
export function isUnderWay({ status }: PosRequest): boolean {
  return status === 303 || status === 202;
}

/** A whole answer with a result: of these requests no other is a 200. */
export function hasOutcome({ kind, status }: PosRequest): boolean {
  return (beginsAtTerminal(kind) || kind === 'status' || kind === 'latest') && status === 200;
}

/**
 * How long a point of sale took. Where the clock is virtual it may sleep in its own time, while virtual time stands still, or in
 * pinpad's: whichever took longer (B250).
 */
export function passedMs(from: JournalEntry, to: JournalEntry): number {
  const realMs = (to.realAt ?? Number.NEGATIVE_INFINITY) - (from.realAt ?? Number.POSITIVE_INFINITY);
  return Math.max(to.at - from.at, realMs);
}

/** `POST /terminals/…/payment-request` */
export function requestName({ method, path }: PosRequest): string {
  return `${method} ${path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, '…')}`;
}

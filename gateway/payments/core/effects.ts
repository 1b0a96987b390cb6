import type { EntrySubject, UnwrittenEntry } from '../../../shared/journal.ts';
import type { AcquirerResponse } from '../../../shared/nexo/acquirer.ts';
import type { ApprovalRequest } from '../../acquirer/answers.ts';
import type { Terminal } from '../../terminals/directory.ts';
import type { PaymentOutcome } from './outcome.ts';
import type { Payment } from './states.ts';

/**
 * The timers of a payment:
 * - `cap`: the payment's time limit is over. Held requests are answered, and an undelivered payment fails (B63).
 * - `giveUp`: the payment ends, because its terminal did not come back (B65).
 * - `ask`: a terminal that is still connected after the time limit is asked about its payment (B66).
 * - `retry`: data that are only in memory are stored. The gateway tries this until it succeeds (B68).
 */
export const timerNames = ['cap', 'giveUp', 'ask', 'retry'] as const;
export type TimerName = (typeof timerNames)[number];

/**
 * The actions that the gateway carries out after a step is stored. The step lists the actions in their order. Effects
 * are data, so that a test can read the effects, and can stop the gateway between two effects.
 */
export type Effect =
  | { do: 'journal'; note: UnwrittenEntry }
  /** Sends the PaymentRequest or ReversalRequest. If the request cannot be sent, the payment counts as lost. */
  | { do: 'deliver'; payment: Payment; again: boolean }
  | { do: 'abort'; payment: Payment }
  /** Asks the terminal what it knows about the payment (nexo TransactionStatus). */
  | { do: 'ask'; payment: Payment }
  /** Sends the terminal the answer of the acquirer's host. */
  | { do: 'reply'; terminal: Terminal; serviceId: string; response: AcquirerResponse }
  /** Makes the acquirer's host decide after `inMs` (B128). */
  | { do: 'decideLate'; terminal: Terminal; serviceId: string; request: ApprovalRequest; inMs: number }
  /**
   * Notes whether the terminal has a payment (`paying`). In virtual time, the gateway pings only terminals that have a
   * payment.
   */
  | { do: 'watch'; terminalId: string; paying: boolean }
  /** Forgets a deleted terminal, and closes its connection. */
  | { do: 'forget'; terminal: Terminal }
  /** Sets a timer. `at` is a time on the monotonic clock, so the duration of the commit does not delay the timer. */
  | { do: 'arm'; timer: TimerName; paymentId: string; at: number }
  | { do: 'disarm'; paymentId: string; timers: readonly TimerName[] }
  /** Answers the requests that wait for the payment's outcome. */
  | { do: 'answer'; paymentId: string; outcome: PaymentOutcome };

/**
 * Gives the field that marks a journal entry about a reversal or a refund. An entry about a payment has no such field.
 */
export function makePaymentKindField({ kind }: Payment): { paymentKind?: 'reversal' | 'refund' } {
  return kind === 'payment' ? {} : { paymentKind: kind };
}

/** Names the terminal and the payment for a journal entry. */
export function makePaymentEntrySubject({ poiId, id }: Payment): EntrySubject {
  return { terminal: poiId === '' ? undefined : poiId, payment: id };
}

export function makeJournalEffect(note: UnwrittenEntry): Effect {
  return { do: 'journal', note };
}

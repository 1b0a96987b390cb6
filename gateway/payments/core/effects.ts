import type { About, Note } from '../../../shared/journal.ts';
import type { AcquirerResponse } from '../../../shared/nexo/acquirer.ts';
import type { Ask } from '../../acquirer/answers.ts';
import type { Terminal } from '../../terminals/directory.ts';
import type { PaymentOutcome } from './outcome.ts';
import type { Payment } from './states.ts';

/**
 * `cap`: held requests are answered, and an undelivered payment fails (B63). `giveUp`: a payment without its terminal
 * ends (B65). `ask`: a terminal that is still connected past the cap is asked about its payment (B66). `retry`:
 * memory's state is stored at once, and again until that succeeds (B68).
 */
export const timers = ['cap', 'giveUp', 'ask', 'retry'] as const;
export type Timer = (typeof timers)[number];

/**
 * The effects that follow, in order, once a step is stored. They are data, so a test can read them and can stop between
 * two of them.
 */
export type Effect =
  | { do: 'journal'; note: Note }
  /** Sends the PaymentRequest or ReversalRequest. If sending fails, the payment is lost. */
  | { do: 'deliver'; payment: Payment; again: boolean }
  | { do: 'abort'; payment: Payment }
  /** Asks the terminal what it knows about the payment (nexo TransactionStatus). */
  | { do: 'ask'; payment: Payment }
  /** Sends the terminal the answer of the acquirer's host. */
  | { do: 'reply'; terminal: Terminal; serviceId: string; response: AcquirerResponse }
  /** Makes the host decide at a later moment (B128). */
  | { do: 'decideLate'; terminal: Terminal; serviceId: string; request: Ask; inMs: number }
  /** Pings the terminal's link as long as a payment is on it, in virtual time too. */
  | { do: 'watch'; terminalId: string; paying: boolean }
  /** Forgets a deleted terminal, and ends its link. */
  | { do: 'forget'; terminal: Terminal }
  /** Sets a timer. `at` is a moment of the monotonic clock, so the time that the commit took is included. */
  | { do: 'arm'; timer: Timer; paymentId: string; at: number }
  | { do: 'disarm'; paymentId: string; timers: readonly Timer[] }
  /** Ends the wait of the requests that are held for the outcome. */
  | { do: 'answer'; paymentId: string; outcome: PaymentOutcome };

/** The fields with which an entry says that it is about a reversal or refund; for a payment there are none. */
export function paymentKindField({ kind }: Payment): { paymentKind?: 'reversal' | 'refund' } {
  return kind === 'payment' ? {} : { paymentKind: kind };
}

/** The terminal and the payment that an entry is about. */
export function about({ poiId, id }: Payment): About {
  return { terminal: poiId === '' ? undefined : poiId, payment: id };
}

export function journal(note: Note): Effect {
  return { do: 'journal', note };
}

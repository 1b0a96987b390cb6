import type { About, Note } from '../../../shared/journal.ts';
import type { AcquirerResponse } from '../../../shared/nexo/acquirer.ts';
import type { Ask } from '../../acquirer/answers.ts';
import type { Terminal } from '../../terminals/directory.ts';
import type { PaymentOutcome } from './outcome.ts';
import type { Payment } from './states.ts';

/**
 * `cap`: held requests are answered, and what was not delivered fails (B63). `giveUp`: a payment without its terminal
 * ends (B65). `ask`: a terminal connected past the cap is asked (B66). `retry`: something is to be stored at once, and
 * again until it is (B68).
 */
export const timers = ['cap', 'giveUp', 'ask', 'retry'] as const;
export type Timer = (typeof timers)[number];

/** What follows once a step is on disk, in its order. Data: a test reads them, and what breaks between two is a test. */
export type Effect =
  | { do: 'journal'; note: Note }
  /** Sends the PaymentRequest or ReversalRequest; where that cannot be, the payment is lost. */
  | { do: 'deliver'; payment: Payment; again: boolean }
  | { do: 'abort'; payment: Payment }
  /** Asks the terminal what it knows of the payment (nexo TransactionStatus). */
  | { do: 'ask'; payment: Payment }
  /** Answers the terminal for the acquirer's host. */
  | { do: 'reply'; terminal: Terminal; serviceId: string; response: AcquirerResponse }
  /** Lets the host decide only then (B128). */
  | { do: 'decideLate'; terminal: Terminal; serviceId: string; request: Ask; inMs: number }
  /** While a payment is on a terminal its link is pinged also in virtual time. */
  | { do: 'watch'; terminalId: string; paying: boolean }
  /** A deleted terminal is known no more, and its link ends. */
  | { do: 'forget'; terminal: Terminal }
  /** `at` on the monotonic clock: how long the commit took counts for it. */
  | { do: 'arm'; timer: Timer; paymentId: string; at: number }
  | { do: 'disarm'; paymentId: string; timers: readonly Timer[] }
  /** Ends the waiting of the requests that are held for the outcome. */
  | { do: 'answer'; paymentId: string; outcome: PaymentOutcome };

/** What an entry says of what the terminal was asked for; nothing of a payment. */
export function kindIn({ kind }: Payment): { paymentKind?: 'reversal' | 'refund' } {
  return kind === 'payment' ? {} : { paymentKind: kind };
}

/** Who an entry of a payment's is about. */
export function about({ poiId, id }: Payment): About {
  return { terminal: poiId === '' ? undefined : poiId, payment: id };
}

export function journal(note: Note): Effect {
  return { do: 'journal', note };
}

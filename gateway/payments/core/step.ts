import type { AcquirerRequest } from '../../../shared/nexo/acquirer.ts';
import type { PaymentResponse, ReversalResponse } from '../../../shared/nexo/bodies.ts';
import type { Timeouts } from '../../../shared/timeouts.ts';
import type { LedgerStanding } from '../../acquirer/attempts.ts';
import type { HostFacts } from '../../acquirer/host.ts';
import type { KnownPayment } from '../../acquirer/known-payment.ts';
import type { OutcomeChange } from '../../acquirer/outcomes.ts';
import type { PaymentRow } from '../../store/rows/payments.ts';
import type { Change } from '../../store/schema.ts';
import type { Terminal } from '../../terminals/directory.ts';
import type { Effect } from './effects.ts';
import type { Offer } from './offer.ts';
import type { PaymentOutcome } from './outcome.ts';
import type { Payment, State } from './states.ts';

/** What can happen to a payment, or to a terminal that has none. */
export type Input =
  /**
   * A checked request; `row` and `payment` are what it would be. `taken`: of a reversal, what its payment took, minor units: the
   * most that is given back of it.
   */
  | { is: 'accepted'; row: PaymentRow; payment: Payment; requestId: string; taken?: number }
  /** Another gateway has accepted it, as that says. */
  | { is: 'offered'; offer: Offer; payment: Payment }
  | { is: 'linkUp' }
  /** `unread`: it ended over a message that could not be read. */
  | { is: 'linkDown'; unread?: boolean }
  /** The terminal has acknowledged the PaymentRequest, or refused it as one it cannot read. */
  | { is: 'requestTaken' }
  | { is: 'requestRefused' }
  /** An answer of the terminal's cannot be read. */
  | { is: 'answerUnreadable' }
  | ({ is: 'answered'; terminal: Terminal; serviceId: string } & TerminalAnswer)
  /** What a terminal that was asked knows: its answer, that the payment goes on, or nothing. */
  | ({ is: 'repeated' } & TerminalAnswer)
  | { is: 'inProgress' }
  | { is: 'notFound' }
  | { is: 'pinEntered' }
  /** `late`: the wait that a test set is over. */
  | { is: 'hostAsked'; terminal: Terminal; serviceId: string; request: AcquirerRequest; late: boolean }
  | { is: 'abortAsked' }
  | { is: 'terminalDeleted'; terminal: Terminal }
  /** A timer fired: what is due is seen in the state. */
  | { is: 'due' }
  /** A former process left the payment open, and stored when it is given up. */
  | { is: 'recovered'; deadlineAt: number | null };

/** What a terminal says became of a payment or a refund, or of a reversal. */
export type TerminalAnswer = { response: PaymentResponse } | { reversal: ReversalResponse };

/** A payment that is not open, as the store has it. */
export interface StoredPayment extends KnownPayment {
  errorCondition: string | null;
  standing: LedgerStanding;
}

/** What a decision stands on beside the state: values, and the host's dice. */
export interface Facts extends HostFacts {
  monotonic: number;
  timeouts: Pick<Timeouts, 'paymentCapMs' | 'lostAfterAcceptanceMs' | 'lostAfterLossMs'>;
  /** The terminal has a link. */
  connected: boolean;
  /** Of what is not open. */
  stored: StoredPayment | undefined;
}

/** What an input comes to: all of `records` is on disk, or nothing of it has happened. */
export interface Step {
  readonly state: State;
  readonly records: readonly Change[];
  readonly outcomes: readonly OutcomeChange[];
  readonly effects: readonly Effect[];
  /** The payment that ended in this step, and how. */
  readonly concluded?: {
    readonly payment: Payment;
    readonly as: StoredPayment;
    readonly outcome: PaymentOutcome;
  };
}

/** What the batch of a step can put on disk: the names of a payment's commits. */
export const commitNames = ['accepted', 'delivered', 'authorized', 'concluded', 'noted'] as const;

export type CommitName = (typeof commitNames)[number];

/** What an answer says of itself, whichever kind it is of. */
export function answerIn(answer: TerminalAnswer): PaymentResponse | ReversalResponse {
  return 'reversal' in answer ? answer.reversal : answer.response;
}

/** The name of a batch, by the most that it does; undefined if it is of no payment. `noted`: where the payment stands. */
export function commitName(batch: readonly Change[]): CommitName | undefined {
  const inserts = (table: string) => batch.some((change) => 'insert' in change && change.insert === table);
  if (inserts('payment_results')) return 'concluded';
  if (inserts('payments')) return 'accepted';
  if (inserts('ledger')) return 'authorized';
  const updates = batch.flatMap((change) =>
    'update' in change && change.update === 'open_payments' ? [change.set] : [],
  );
  if (updates.some(({ delivered_at }) => delivered_at != null)) return 'delivered';
  return updates.length > 0 ? 'noted' : undefined;
}

export function step(state: State, more: Partial<Omit<Step, 'state'>> = {}): Step {
  return { state, records: [], outcomes: [], effects: [], ...more };
}

/** Both, one after the other, in one commit. */
export function both(first: Step, then: Step): Step {
  const concluded = then.concluded ?? first.concluded;
  return {
    state: then.state,
    records: [...first.records, ...then.records],
    outcomes: [...first.outcomes, ...then.outcomes],
    effects: [...first.effects, ...then.effects],
    ...(concluded && { concluded }),
  };
}

import type { AcquirerRequest } from '../../../shared/nexo/acquirer.ts';
import type { PaymentResponse, ReversalResponse } from '../../../shared/nexo/bodies.ts';
import type { Timeouts } from '../../../shared/timeouts.ts';
import type { PaymentAttempts } from '../../acquirer/attempts.ts';
import type { HostDecisionFacts } from '../../acquirer/host.ts';
import type { PaymentFactsForHost } from '../../acquirer/host-payment.ts';
import type { OutcomeChange } from '../../acquirer/outcomes.ts';
import type { PaymentRow } from '../../store/rows/payments.ts';
import type { RowChange } from '../../store/schema.ts';
import type { Terminal } from '../../terminals/directory.ts';
import type { Effect } from './effects.ts';
import type { PaymentOutcome } from './outcome.ts';
import type { GatewayPaymentOffer } from './payment-offer.ts';
import type { Payment, State } from './states.ts';

/** Something that happens to a payment, or to a terminal without a payment. */
export type Input =
  /**
   * A request was checked and may become this payment. `taken` is set for a reversal. It is the amount in minor units
   * that the original payment took. Reversals of that payment cannot give back more.
   */
  | { is: 'accepted'; row: PaymentRow; payment: Payment; requestId: string; taken?: number }
  /** Another gateway has accepted the payment and offers it. */
  | { is: 'offered'; offer: GatewayPaymentOffer; payment: Payment }
  | { is: 'linkUp' }
  /** The connection has ended. If `unread` is true, it ended because a message could not be read. */
  | { is: 'linkDown'; unread?: boolean }
  /**
   * The terminal has acknowledged the PaymentRequest (`requestTaken`), or has refused it as unreadable
   * (`requestRefused`).
   */
  | { is: 'requestTaken' }
  | { is: 'requestRefused' }
  /** The terminal has sent an answer that the gateway cannot read. */
  | { is: 'answerUnreadable' }
  | ({ is: 'answered'; terminal: Terminal; serviceId: string } & TerminalAnswer)
  /**
   * The terminal has replied to a question about its payment. It has repeated its answer (`repeated`), it is still
   * working on the payment (`inProgress`), or it does not know the payment (`notFound`).
   */
  | ({ is: 'repeated' } & TerminalAnswer)
  | { is: 'inProgress' }
  | { is: 'notFound' }
  | { is: 'pinEntered' }
  /**
   * A terminal asks the host for a decision. If `late` is true, a test had delayed the decision, and the delay is over.
   */
  | { is: 'hostAsked'; terminal: Terminal; serviceId: string; request: AcquirerRequest; late: boolean }
  | { is: 'abortAsked' }
  | { is: 'terminalDeleted'; terminal: Terminal }
  /** A timer has fired. The payment's state shows what has to be done. */
  | { is: 'due' }
  /** A former process left the payment open. `deadlineAt` is the deadline that the former process stored. */
  | { is: 'recovered'; deadlineAt: number | null };

/** A terminal's answer to a payment, a refund or a reversal. */
export type TerminalAnswer = { response: PaymentResponse } | { reversal: ReversalResponse };

/** A payment as it is stored. `concluded` is null while the payment is open. */
export interface StoredPayment extends PaymentFactsForHost {
  errorCondition: string | null;
  attempts: PaymentAttempts;
}

/** The values that a decision uses in addition to the state and the input. They include random numbers for the host. */
export interface PaymentFacts extends HostDecisionFacts {
  monotonic: number;
  timeouts: Pick<Timeouts, 'paymentCapMs' | 'lostAfterAcceptanceMs' | 'lostAfterLossMs'>;
  /** Whether the terminal is connected. */
  connected: boolean;
  /** The payment that the input names, if that payment is not open. It was read from the store. */
  stored: StoredPayment | undefined;
}

/** The result of a decision. If `records` cannot be stored, no part of the step takes effect. */
export interface Step {
  readonly state: State;
  readonly records: readonly RowChange[];
  readonly outcomes: readonly OutcomeChange[];
  readonly effects: readonly Effect[];
  /** The payment that this step ended, and its outcome. */
  readonly concluded?: {
    readonly payment: Payment;
    readonly as: StoredPayment;
    readonly outcome: PaymentOutcome;
  };
}

/** The names of a payment's commits. A commit is named after what it stores. */
export const commitNames = ['accepted', 'delivered', 'authorized', 'concluded', 'noted'] as const;

export type CommitName = (typeof commitNames)[number];

/** Gives the message in a terminal's answer. The message answers either a payment or a reversal. */
export function unwrapTerminalAnswer(answer: TerminalAnswer): PaymentResponse | ReversalResponse {
  return 'reversal' in answer ? answer.reversal : answer.response;
}

/**
 * Gives the name of a batch of changes. It is the name of the most important change in the batch. The name `noted`
 * stands for all less important changes of a payment. The result is undefined if the batch is not about a payment.
 */
export function nameCommit(batch: readonly RowChange[]): CommitName | undefined {
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

export function makeStep(state: State, more: Partial<Omit<Step, 'state'>> = {}): Step {
  return { state, records: [], outcomes: [], effects: [], ...more };
}

/** Joins two steps into one with a single commit. The effects of `first` come first. */
export function joinSteps(first: Step, then: Step): Step {
  const concluded = then.concluded ?? first.concluded;
  return {
    state: then.state,
    records: [...first.records, ...then.records],
    outcomes: [...first.outcomes, ...then.outcomes],
    effects: [...first.effects, ...then.effects],
    ...(concluded && { concluded }),
  };
}

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

/** An input: something that happens to a payment, or to a terminal that has none. */
export type Input =
  /**
   * A checked request, with the row and the payment that it would become. `taken`: for a reversal, the amount in minor
   * units that the original payment took, which limits what can be given back.
   */
  | { is: 'accepted'; row: PaymentRow; payment: Payment; requestId: string; taken?: number }
  /** Another gateway has accepted the payment and offers it. */
  | { is: 'offered'; offer: Offer; payment: Payment }
  | { is: 'linkUp' }
  /** `unread`: the link ended because a message could not be read. */
  | { is: 'linkDown'; unread?: boolean }
  /** The terminal has acknowledged the PaymentRequest, or has refused it because it cannot read it. */
  | { is: 'requestTaken' }
  | { is: 'requestRefused' }
  /** The gateway cannot read an answer of the terminal. */
  | { is: 'answerUnreadable' }
  | ({ is: 'answered'; terminal: Terminal; serviceId: string } & TerminalAnswer)
  /**
   * The reply of a terminal that was asked about its payment: the answer, or that the payment goes on, or that the
   * terminal does not know the payment.
   */
  | ({ is: 'repeated' } & TerminalAnswer)
  | { is: 'inProgress' }
  | { is: 'notFound' }
  | { is: 'pinEntered' }
  /** A terminal asks the host. `late`: this is the decision that a test delayed, and the delay is over. */
  | { is: 'hostAsked'; terminal: Terminal; serviceId: string; request: AcquirerRequest; late: boolean }
  | { is: 'abortAsked' }
  | { is: 'terminalDeleted'; terminal: Terminal }
  /** A timer fired. The state shows which work is due. */
  | { is: 'due' }
  /** A former process left the payment open; `deadlineAt` is the deadline that it stored. */
  | { is: 'recovered'; deadlineAt: number | null };

/** A terminal's answer to a payment, a refund or a reversal. */
export type TerminalAnswer = { response: PaymentResponse } | { reversal: ReversalResponse };

/** A payment that is not open, as it is stored. */
export interface StoredPayment extends KnownPayment {
  errorCondition: string | null;
  standing: LedgerStanding;
}

/** The facts that a decision uses in addition to the state: values, and the host's random numbers. */
export interface Facts extends HostFacts {
  monotonic: number;
  timeouts: Pick<Timeouts, 'paymentCapMs' | 'lostAfterAcceptanceMs' | 'lostAfterLossMs'>;
  /** Whether the terminal has a link. */
  connected: boolean;
  /** The stored payment that the input names, if it is not open. */
  stored: StoredPayment | undefined;
}

/** The result of a decision. Either all of `records` are stored, or nothing of the step happens. */
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

/** The names of a payment's commits, according to what the step's batch stores. */
export const commitNames = ['accepted', 'delivered', 'authorized', 'concluded', 'noted'] as const;

export type CommitName = (typeof commitNames)[number];

/** Gives the part that is common to all kinds of answers. */
export function paymentOrReversalResponse(answer: TerminalAnswer): PaymentResponse | ReversalResponse {
  return 'reversal' in answer ? answer.reversal : answer.response;
}

/**
 * Names a batch by the most important thing that it stores; undefined if it is not about a payment. `noted` is any
 * other change of a payment.
 */
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

/** Joins two steps, one after the other, in one commit. */
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

import { noAttempts, type PaymentAttempts } from '../../acquirer/attempts.ts';
import type { Environment } from '../../store/ownership.ts';
import type { OpenPaymentRow, PaymentKind } from '../../store/rows/payments.ts';
import type { GatewayPaymentOffer } from './payment-offer.ts';

/**
 * The data of a payment that do not change after the payment was accepted. Reversals and refunds go through the same
 * states as payments.
 */
export interface Payment {
  readonly id: string;
  readonly kind: PaymentKind;
  /** For a reversal, the identifier of the payment that it reverses. */
  readonly originalId: string | null;
  readonly accountId: string;
  readonly environment: Environment;
  readonly terminalId: string;
  /** The terminal's poi_id; empty if the terminal was deleted before this process started. */
  readonly poiId: string;
  readonly serviceId: string;
  /** The requested amount in minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly acceptedAt: number;
  /** The time of acceptance, on the monotonic clock. */
  readonly begunAt: number;
  readonly idempotencyKey: string | null;
  /** The nexo PaymentRequest or ReversalRequest, as JSON. */
  readonly message: string;
  readonly saleReferenceId: string | undefined;
  /** Whether the request tells the terminal to treat every PIN as wrong (B130). */
  readonly everyPinWrong: boolean;
  /** Whether the payment is refused at once if its terminal is not connected. */
  readonly needsLink: boolean;
}

/** An open payment: accepted, but not concluded. */
interface Open {
  readonly payment: Payment;
  /** The attempts to authorize the payment, from its entries in the acquirer's ledger. */
  readonly attempts: PaymentAttempts;
}

/** A payment that is stored as delivered. The terminal may have received the payment (B64). */
interface Handed extends Open {
  readonly deliveredAt: number;
  readonly abortRequestedAt: number | undefined;
  /** Whether the terminal has shown that it has the payment. */
  readonly onTerminal: boolean;
  /** The number of messages about the payment that the terminal or the gateway could not read (B67). */
  readonly refusals: number;
  /** True while the payment's deadline or its number of refusals still has to be stored (B68). */
  readonly unstored: boolean;
}

/**
 * A payment whose terminal is not connected. The payment ends if the terminal does not come back before `giveUpAt` on
 * the monotonic clock. `deadlineAt` is the same moment on the wall clock (B65).
 */
interface Missing extends Handed {
  readonly deadlineAt: number;
  readonly giveUpAt: number;
}

export type WaitingPayment = Open & { readonly is: 'waiting' };
/**
 * A payment at a connected terminal. `patience` is set after the payment's time limit. At `askAt` the gateway asks the
 * terminal again whether it still works on the payment. The terminal must answer before `giveUpAt` (B66).
 */
export type DeliveredPayment = Handed & {
  readonly is: 'delivered';
  readonly patience: { readonly askAt: number } | { readonly giveUpAt: number } | undefined;
};
export type LostPayment = Missing & { readonly is: 'lost' };
/** A payment whose terminal was deleted. A new terminal with the same poi_id is a different terminal (B8). */
export type AbandonedPayment = Missing & { readonly is: 'abandoned'; readonly terminalDeletedAt: number };

/**
 * The state of a terminal's payment. `noPayment` means that the terminal has no payment, or that the named payment is
 * concluded and is only in the database.
 */
export type State =
  | { readonly is: 'none' }
  | WaitingPayment
  | DeliveredPayment
  | LostPayment
  | AbandonedPayment;
export type OpenState = Exclude<State, { is: 'none' }>;
export type PaymentAtTerminal = DeliveredPayment | LostPayment | AbandonedPayment;

export const noPayment: State = { is: 'none' };

/**
 * Makes a payment from its row. The row may be new, read at the start of the gateway, or written by another gateway.
 */
export function paymentFromRow(
  row: GatewayPaymentOffer,
  more: { poiId: string; saleReferenceId: string | undefined; now: number; monotonic: number },
): Payment {
  return {
    id: row.id,
    kind: row.kind,
    originalId: row.original_id,
    accountId: row.account_id,
    environment: row.environment,
    terminalId: row.terminal_id,
    poiId: more.poiId,
    serviceId: row.service_id,
    amount: row.amount,
    currency: row.currency,
    acceptedAt: row.accepted_at,
    begunAt: more.monotonic - Math.max(0, more.now - row.accepted_at),
    idempotencyKey: row.idempotency_key,
    message: row.message,
    saleReferenceId: more.saleReferenceId,
    everyPinWrong: row.pin_rule !== null,
    needsLink: row.needs_link === 1,
  };
}

export function makeWaitingState(payment: Payment): WaitingPayment {
  return { is: 'waiting', payment, attempts: noAttempts };
}

export function makeDeliveredState(open: Open, deliveredAt: number): DeliveredPayment {
  const { payment, attempts } = open;
  return {
    is: 'delivered',
    payment,
    attempts,
    deliveredAt,
    abortRequestedAt: undefined,
    onTerminal: false,
    refusals: 0,
    unstored: false,
    patience: undefined,
  };
}

/** Makes the state of a payment whose terminal was lost at another gateway. The deadline stays the same (B65). */
export function restoreLostState(
  row: OpenPaymentRow,
  open: WaitingPayment,
  at: { now: number; monotonic: number },
): OpenState {
  const state = restoreOpenState(row, open);
  if (state.is !== 'delivered' || row.deadline_at === null) return state;
  const { patience: _, ...held } = state;
  const giveUpAt = at.monotonic + row.deadline_at - at.now;
  return { ...held, is: 'lost', deadlineAt: row.deadline_at, giveUpAt };
}

/** Makes the state of a payment that a former process left open. */
export function restoreOpenState(row: OpenPaymentRow, open: WaitingPayment): OpenState {
  if (row.delivered_at === null) return open;
  const { abort_requested_at: abortRequestedAt, refusals, terminal_deleted_at: terminalDeletedAt } = row;
  const here = {
    ...makeDeliveredState(open, row.delivered_at),
    abortRequestedAt: abortRequestedAt ?? undefined,
    refusals,
  };
  if (terminalDeletedAt === null) return here;
  const { patience: _, ...held } = here;
  // `deadlineAt` and `giveUpAt` are not used here, because this process sets the deadline when it continues the
  // payment.
  return { ...held, is: 'abandoned', terminalDeletedAt, deadlineAt: 0, giveUpAt: Number.POSITIVE_INFINITY };
}

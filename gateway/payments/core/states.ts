import { type LedgerStanding, noAttempts } from '../../acquirer/attempts.ts';
import type { Environment } from '../../store/ownership.ts';
import type { OpenPaymentRow, PaymentKind } from '../../store/rows/payments.ts';
import type { Offer } from './offer.ts';

/**
 * A payment's request, fixed when it was accepted. A reversal or a refund goes through the same states as a payment.
 */
export interface Payment {
  readonly id: string;
  readonly kind: PaymentKind;
  /** The payment that a reversal gives back. */
  readonly originalId: string | null;
  readonly accountId: string;
  readonly environment: Environment;
  readonly terminalId: string;
  /** The terminal's POI id; empty if the terminal was deleted before this process began. */
  readonly poiId: string;
  readonly serviceId: string;
  /** The requested amount in minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly acceptedAt: number;
  /** The moment of acceptance, on the monotonic clock. */
  readonly begunAt: number;
  readonly idempotencyKey: string | null;
  /** The nexo PaymentRequest or ReversalRequest, as JSON. */
  readonly message: string;
  readonly saleReferenceId: string | undefined;
  /** Whether the request makes the terminal find every PIN wrong (B130). */
  readonly everyPinWrong: boolean;
  /** Whether the payment is refused at once if its terminal has no link. */
  readonly needsLink: boolean;
}

/** An open payment: accepted, but not concluded. */
interface Open {
  readonly payment: Payment;
  /** The payment's entries in the acquirer's ledger. */
  readonly ledger: LedgerStanding;
}

/** A payment that is stored as delivered: from then on the terminal may have it (B64). */
interface Handed extends Open {
  readonly deliveredAt: number;
  readonly abortRequestedAt: number | undefined;
  /** Whether the terminal has shown that it has the payment. */
  readonly onTerminal: boolean;
  /** How often a message of the payment was refused because the other end could not read it (B67). */
  readonly refusals: number;
  /** Whether the deadline or the refusals are not stored yet. Each commit tries to store them (B68). */
  readonly unstored: boolean;
}

/**
 * A payment without its terminal. It is given up if the terminal is not back by then: at `giveUpAt` on the monotonic
 * clock, `deadlineAt` on the wall clock (B65).
 */
interface Missing extends Handed {
  readonly deadlineAt: number;
  readonly giveUpAt: number;
}

export type Waiting = Open & { readonly is: 'waiting' };
/**
 * `patience`: how long a terminal that is still connected past the cap may take. It is asked again and again whether
 * its payment goes on (B66).
 */
export type Delivered = Handed & {
  readonly is: 'delivered';
  readonly patience: { readonly askAt: number } | { readonly giveUpAt: number } | undefined;
};
export type Lost = Missing & { readonly is: 'lost' };
/** A payment whose terminal was deleted. A new terminal of the same identifier is another terminal (B8). */
export type Abandoned = Missing & { readonly is: 'abandoned'; readonly terminalDeletedAt: number };

/**
 * The state of a terminal's payment. `none`: the terminal has no payment, or the payment in question is concluded and
 * only the store has it.
 */
export type State = { readonly is: 'none' } | Waiting | Delivered | Lost | Abandoned;
export type OpenState = Exclude<State, { is: 'none' }>;
export type HeldPayment = Delivered | Lost | Abandoned;

export const none: State = { is: 'none' };

/** Makes a payment from its row: a new row, one that was read at the start, or one of another gateway. */
export function paymentOf(
  row: Offer,
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

export function waiting(payment: Payment): Waiting {
  return { is: 'waiting', payment, ledger: noAttempts };
}

export function delivered(open: Open, deliveredAt: number): Delivered {
  const { payment, ledger } = open;
  return {
    is: 'delivered',
    payment,
    ledger,
    deliveredAt,
    abortRequestedAt: undefined,
    onTerminal: false,
    refusals: 0,
    unstored: false,
    patience: undefined,
  };
}

/** The state of a payment that was lost at the gateway which owned it: its deadline stays the same (B65). */
export function lostState(
  row: OpenPaymentRow,
  open: Waiting,
  at: { now: number; monotonic: number },
): OpenState {
  const state = storedState(row, open);
  if (state.is !== 'delivered' || row.deadline_at === null) return state;
  const { patience: _, ...held } = state;
  const giveUpAt = at.monotonic + row.deadline_at - at.now;
  return { ...held, is: 'lost', deadlineAt: row.deadline_at, giveUpAt };
}

/** The state of a payment that a former process left open. */
export function storedState(row: OpenPaymentRow, open: Waiting): OpenState {
  if (row.delivered_at === null) return open;
  const { abort_requested_at: abortRequestedAt, refusals, terminal_deleted_at: terminalDeletedAt } = row;
  const here = {
    ...delivered(open, row.delivered_at),
    abortRequestedAt: abortRequestedAt ?? undefined,
    refusals,
  };
  if (terminalDeletedAt === null) return here;
  const { patience: _, ...held } = here;
  // The deadline is set when the next process goes on with the payment.
  return { ...held, is: 'abandoned', terminalDeletedAt, deadlineAt: 0, giveUpAt: Number.POSITIVE_INFINITY };
}

import type { Clock } from '../../shared/clock.ts';
import { assign, put, type Undoable } from '../../shared/database/unit-of-work.ts';
import type { Environment } from '../store/ownership.ts';
import type { OpenPaymentRow, PaymentRow } from '../store/rows/payments.ts';

/** A payment that is not concluded: what is stored of it, and what only matters while this process lives. */
export interface OpenPayment {
  readonly id: string;
  readonly accountId: string;
  readonly environment: Environment;
  readonly terminalId: string;
  readonly poiId: string;
  readonly serviceId: string;
  /** Requested, minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly acceptedAt: number;
  /** Its acceptance on the monotonic clock. */
  readonly begunAt: number;
  /** The nexo PaymentRequest as JSON. */
  readonly message: string;
  readonly saleReferenceId: string | undefined;
  /** The terminal was informed that every PIN is wrong (B130). */
  readonly everyPinWrong: boolean;
  /** Committed as delivered: from then on the terminal may have it (B64). */
  deliveredAt: number | undefined;
  /** Concluded as lost then, if the terminal is not back (B65). */
  deadlineAt: number | undefined;
  abortRequestedAt: number | undefined;
  /** Its terminal was deleted then; one of the same identifier is another (B8). */
  terminalDeletedAt: number | undefined;
  /** Its acceptance is committed. */
  accepted: boolean;
  /** The PaymentRequest left in this process's life, so that an abort may follow it. */
  sent: boolean;
  /** The terminal has shown that it has the payment. */
  onTerminal: boolean;
  /** How often its request, or an answer for it, was refused because the other end could not read it (B67). */
  refusals: number;
  /** A conclusion is being committed: the first one counts. */
  concluding: boolean;
}

export function openPayment(
  row: PaymentRow,
  state: Omit<OpenPaymentRow, 'payment_id' | 'terminal_id'>,
  poiId: string,
  clock: Clock,
): OpenPayment {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    terminalId: row.terminal_id,
    poiId,
    serviceId: row.service_id,
    amount: row.amount,
    currency: row.currency,
    acceptedAt: row.accepted_at,
    begunAt: clock.monotonic() - Math.max(0, clock.now() - row.accepted_at),
    message: row.message,
    saleReferenceId: JSON.parse(row.message).SaleData.SaleReferenceID,
    everyPinWrong: row.pin_rule !== null,
    deliveredAt: state.delivered_at ?? undefined,
    deadlineAt: state.deadline_at ?? undefined,
    abortRequestedAt: state.abort_requested_at ?? undefined,
    terminalDeletedAt: state.terminal_deleted_at ?? undefined,
    accepted: false,
    sent: false,
    onTerminal: false,
    refusals: 0,
    concluding: false,
  };
}

/** The unconcluded payments, at most one on each terminal (B37). */
export class OpenPayments {
  #byId = new Map<string, OpenPayment>();
  #byTerminal = new Map<string, OpenPayment>();

  /** Adds a payment in the transaction that stores it. */
  begin(unit: Undoable, payment: OpenPayment): void {
    unit.onRollback(() => this.remove(payment));
    this.add(payment);
  }

  add(payment: OpenPayment): void {
    this.#byId.set(payment.id, payment);
    if (payment.terminalDeletedAt === undefined) this.#byTerminal.set(payment.terminalId, payment);
  }

  /** Its terminal is deleted in this transaction: the payment stays open and is on no terminal. */
  detach(unit: Undoable, payment: OpenPayment, now: number): void {
    assign(unit, payment, { terminalDeletedAt: now });
    put(unit, this.#byTerminal, payment.terminalId, undefined);
  }

  remove(payment: OpenPayment): void {
    this.#byId.delete(payment.id);
    if (this.#byTerminal.get(payment.terminalId) === payment) this.#byTerminal.delete(payment.terminalId);
  }

  byId(id: string): OpenPayment | undefined {
    return this.#byId.get(id);
  }

  /** The payment of that identifier, unless its conclusion is being committed. */
  unconcluded(id: string): OpenPayment | undefined {
    const payment = this.#byId.get(id);
    return payment?.concluding ? undefined : payment;
  }

  onTerminal(terminalId: string): OpenPayment | undefined {
    return this.#byTerminal.get(terminalId);
  }

  all(): OpenPayment[] {
    return [...this.#byId.values()];
  }
}

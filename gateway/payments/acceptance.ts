import type { Runtime } from '../../shared/runtime.ts';
import type { Account } from '../accounts/schemas.ts';
import type { AccountService } from '../accounts/service.ts';
import type { Acquirer } from '../acquirer/service.ts';
import type { Caller } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import type { PaymentRow } from '../store/rows/payments.ts';
import type { Tx, Unit } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { Terminal } from '../terminals/directory.ts';
import type { PoiServer } from '../terminals/poi-server.ts';
import type { TerminalService } from '../terminals/service.ts';
import { requestHash } from './idempotency.ts';
import { type OpenPayment, type OpenPayments, openPayment } from './open-payments.ts';
import type { Recovery } from './recovery.ts';
import { checkAmounts, paymentMessage, type ReadRequest, readRequest, refusalOf } from './request-mapping.ts';
import { failureOf } from './result-mapping.ts';
import { type Found, findByKey, insertOpen, insertPayment, insertResult } from './rows.ts';
import type { PaymentRequestBody } from './schemas.ts';
import { serviceIdOf } from './service-id.ts';

/** A payment request as it comes in, checked by its schema. */
export interface PaymentOrder {
  caller: Caller;
  terminalId: string;
  body: PaymentRequestBody;
  /** The body as it came, which its key stands for. */
  json: unknown;
  unknownFields: readonly string[];
  idempotencyKey: string | undefined;
  requestId: string;
}

/** Where a payment stands: with its result as JSON once it is concluded. */
export interface Standing {
  id: string;
  answer?: string;
}

/** What an order is written as. */
interface Draft {
  order: PaymentOrder;
  request: ReadRequest;
  account: Account;
  terminal: Terminal;
  hash: string | null;
}

interface Written extends Standing {
  /** Where a payment was made. */
  made?: { row: PaymentRow; terminal: Terminal };
  open?: OpenPayment;
  /** What the terminal is busy with, where that concluded the payment. */
  busyWith?: OpenPayment;
}

interface AcceptanceParts {
  runtime: Runtime;
  store: Store;
  accounts: AccountService;
  terminals: TerminalService;
  acquirer: Acquirer;
  poi: PoiServer;
  open: OpenPayments;
  recovery: Recovery;
}

/** Takes payments in: checked in order (B116), on disk before they are sent to the terminal. */
export class Acceptance {
  readonly #parts: AcceptanceParts;

  constructor(parts: AcceptanceParts) {
    this.#parts = parts;
  }

  /**
   * Accepts a payment, or finds the one that the order's key stands for. Resolves when it is on disk; its
   * delivery is under way then.
   *
   * A replay comes before all that settings may have changed since: the terminal, the currency, the limit (B60).
   *
   * @throws ApiError in order (B116); nothing is stored then, and the key stays free (B59)
   */
  async accept(order: PaymentOrder): Promise<Standing> {
    checkAmounts(order.body);
    const { made, open, busyWith, ...standing } = await this.#write(order);
    if (made) this.#journal(made, order, busyWith);
    if (open) this.#parts.recovery.start(open);
    return standing;
  }

  async #write(order: PaymentOrder): Promise<Written> {
    const hash = order.idempotencyKey === undefined ? null : requestHash(order.terminalId, order.json);
    return this.#parts.store.write(async (unit) => {
      const former = await this.#former(unit, order);
      if (former && former.request_hash === hash) return standing(former.id, former.answer);
      const terminal = this.#parts.terminals.ofCaller(order.terminalId, order.caller);
      if (former) throw new ApiError('idempotencyKeyReused');
      const account = this.#parts.accounts.account(order.caller.accountId);
      const request = readRequest(order.body, account);
      return this.#insert(unit, { order, request, account, terminal, hash });
    });
  }

  /** The payment that the order's key stands for, if the key still lives (B58). */
  async #former(tx: Tx, order: PaymentOrder): Promise<Found | undefined> {
    if (order.idempotencyKey === undefined) return undefined;
    const former = await findByKey(tx, order.caller, order.idempotencyKey);
    if (!former || former.concluded_at === null) return former;
    const { clock, timeouts } = this.#parts.runtime;
    return clock.elapsedSince(former.concluded_at) >= timeouts.idempotencyMs ? undefined : former;
  }

  async #insert(unit: Unit, draft: Draft): Promise<Written> {
    const { request, terminal, account } = draft;
    const refusal = refusalOf(request, terminal, account);
    if (refusal) throw new ApiError(refusal);
    const row = this.#rowOf(draft);
    const made = { row, terminal };
    await insertPayment(unit, row);
    const busyWith = this.#parts.open.onTerminal(terminal.id);
    if (busyWith)
      return { id: row.id, made, busyWith, answer: await this.#refuseBusy(unit, draft, row, busyWith) };
    const deliveredAt = this.#parts.poi.isConnected(terminal.id) ? row.accepted_at : null;
    const state = {
      delivered_at: deliveredAt,
      deadline_at: null,
      abort_requested_at: null,
      terminal_deleted_at: null,
    };
    await insertOpen(unit, { payment_id: row.id, terminal_id: terminal.id, ...state });
    const open = openPayment(row, state, terminal.poiId, this.#parts.runtime.clock);
    this.#parts.open.begin(unit, open);
    this.#parts.acquirer.ledger.begin(unit, open.id);
    return { id: row.id, made, open };
  }

  #rowOf({ order, request, account, terminal, hash }: Draft): PaymentRow {
    const { identifiers, clock } = this.#parts.runtime;
    const payment = {
      id: identifiers.next(),
      acceptedAt: clock.now(),
      pinRule: this.#parts.acquirer.pinRule(terminal.id, request.amount, request.currency),
    };
    return {
      id: payment.id,
      account_id: terminal.accountId,
      environment: terminal.environment,
      terminal_id: terminal.id,
      service_id: serviceIdOf(payment.id),
      amount: request.amount,
      currency: request.currency,
      idempotency_key: order.idempotencyKey ?? null,
      request_hash: hash,
      accepted_at: payment.acceptedAt,
      message: JSON.stringify(paymentMessage(request, payment, terminal, account)),
      unknown_fields: order.unknownFields.length > 0 ? JSON.stringify(order.unknownFields) : null,
      pin_rule: payment.pinRule ?? null,
    };
  }

  /** A busy terminal's refusal is a payment of its own, concluded at once (B37). Gives its answer. */
  async #refuseBusy(tx: Tx, { order }: Draft, row: PaymentRow, busyWith: OpenPayment): Promise<string> {
    const why = whyBusy(busyWith);
    const payment = { id: row.id, saleReferenceId: order.body.saleData?.saleReferenceId };
    const answer = JSON.stringify(failureOf(payment, 'Busy', why));
    await insertResult(tx, {
      payment_id: row.id,
      concluded_at: row.accepted_at,
      delivered_at: null,
      abort_requested_at: null,
      result: 'failure',
      error_condition: 'busy',
      total: null,
      decided_by: 'gateway',
      why,
      answer,
    });
    return answer;
  }

  #journal(
    { row, terminal }: NonNullable<Written['made']>,
    order: PaymentOrder,
    busyWith: OpenPayment | undefined,
  ): void {
    const { journal } = this.#parts.runtime;
    const about = { terminal: terminal.poiId, payment: row.id };
    const { amount, currency, idempotency_key: key } = row;
    journal.add(
      'payment.accepted',
      { amount, currency, requestId: order.requestId, ...(key === null ? {} : { idempotencyKey: key }) },
      about,
    );
    if (busyWith) {
      const why = whyBusy(busyWith);
      journal.add('payment.concluded', { result: 'failure', errorCondition: 'busy', why }, about);
    }
  }
}

function whyBusy(busyWith: OpenPayment): string {
  return `the terminal is busy with payment ${busyWith.id}`;
}

/** A stored payment's standing, by its answer. */
export function standing(id: string, answer: string | null): Standing {
  return answer === null ? { id } : { id, answer };
}

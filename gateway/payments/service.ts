import { alphanumeric } from '../../shared/random.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { AccountService } from '../accounts/service.ts';
import type { Acquirer } from '../acquirer/service.ts';
import type { Caller } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import type { PaymentRow, Tx } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { Terminal } from '../terminals/directory.ts';
import type { PoiServer } from '../terminals/poi-server.ts';
import type { TerminalService } from '../terminals/service.ts';
import { type Concluding, type Conclusions, gatewayFailure } from './conclusion.ts';
import { requestHash } from './idempotency.ts';
import { type OpenPayment, type OpenPayments, openPayment } from './open-payments.ts';
import type { Recovery } from './recovery.ts';
import { paymentMessage, type ReadRequest, readRequest, refusalOf } from './request-mapping.ts';
import { failureOf } from './result-mapping.ts';
import {
  type Found,
  findById,
  findByKey,
  findLatest,
  insertOpen,
  insertPayment,
  insertResult,
  updateOpen,
} from './rows.ts';
import {
  type PaymentReference,
  type PaymentRequestBody,
  paymentRequestBody,
  type TransactionResult,
} from './schemas.ts';
import { unknownFields } from './unknown-fields.ts';
import type { Waiting, Waits, Woken } from './waiting.ts';

/** A payment request as it comes in, checked by its schema. */
export interface PaymentOrder {
  caller: Caller;
  terminalId: string;
  body: PaymentRequestBody;
  idempotencyKey: string | undefined;
  requestId: string;
}

/** Where a payment stands: with its result, and that as JSON, once it is concluded. */
export interface Standing {
  id: string;
  concluded?: { result: TransactionResult; text: string };
}

/** What an order is written as. */
interface Draft {
  order: PaymentOrder;
  request: ReadRequest;
  terminal: Terminal;
  hash: string | null;
  unknown: string[];
}

interface Written extends Standing {
  row?: PaymentRow;
  open?: OpenPayment;
}

/** Terminal payments: accepted, held, looked up, aborted (specification §4.2–4.6). */
export class PaymentService {
  #runtime: Runtime;
  #store: Store;
  #accounts: AccountService;
  #terminals: TerminalService;
  #acquirer: Acquirer;
  #poi: PoiServer;
  #open: OpenPayments;
  #waiting: Waiting;
  #conclusions: Conclusions;
  #recovery: Recovery;

  constructor(parts: {
    runtime: Runtime;
    store: Store;
    accounts: AccountService;
    terminals: TerminalService;
    acquirer: Acquirer;
    poi: PoiServer;
    open: OpenPayments;
    waiting: Waiting;
    conclusions: Conclusions;
    recovery: Recovery;
  }) {
    this.#runtime = parts.runtime;
    this.#store = parts.store;
    this.#accounts = parts.accounts;
    this.#terminals = parts.terminals;
    this.#acquirer = parts.acquirer;
    this.#poi = parts.poi;
    this.#open = parts.open;
    this.#waiting = parts.waiting;
    this.#conclusions = parts.conclusions;
    this.#recovery = parts.recovery;
  }

  /**
   * Accepts a payment, or finds the one that the order's key stands for. Resolves when it is on disk; its
   * delivery is under way then.
   *
   * @throws ApiError in the order of decision 52; nothing is stored then, and the key stays free (decision 30)
   */
  async accept(order: PaymentOrder): Promise<Standing> {
    const account = this.#accounts.account(order.caller.accountId);
    const request = readRequest(order.body, account);
    const terminal = this.#terminals.ofCaller(order.terminalId, order.caller);
    const hash = order.idempotencyKey === undefined ? null : requestHash(terminal.id, order.body);
    const unknown = unknownFields(paymentRequestBody, order.body);
    const draft: Draft = { order, request, terminal, hash, unknown };
    const { id, row, open, concluded } = await this.#write(draft);
    if (row) this.#tell(row, draft, concluded?.result);
    if (open) this.#recovery.start(open);
    return concluded ? { id, concluded } : { id };
  }

  /** Waits for a payment's outcome until its cap (specification §8), or no longer at all when the gateway stops. */
  async hold(id: string, call: Waits): Promise<Standing> {
    const open = this.#open.byId(id);
    if (!open) return this.#stored(id);
    const capAt = open.acceptedAt + this.#runtime.timeouts.paymentCapMs;
    if (this.#runtime.clock.now() >= capAt) return { id };
    return afterWait(id, await this.#waiting.wait(id, call, { also: 'cap' }));
  }

  /**
   * The outcome of a payment, waited for as decision 13 says.
   *
   * @throws ApiError notFound
   */
  async status(caller: Caller, reference: PaymentReference, call: Waits): Promise<Standing> {
    return this.#poll(await this.#find(caller, reference), call);
  }

  /**
   * The outcome of the most recent request on a terminal, of the last 48 hours (specification §4.4).
   *
   * @throws ApiError terminalNotFound, notFound
   */
  async latest(caller: Caller, terminalId: string, call: Waits): Promise<Standing> {
    return this.#poll(await this.#findLatest(caller, terminalId), call);
  }

  /**
   * Aborts a payment (specification §4.5, decision 24). Resolves when the abort reached the terminal, or there is
   * nothing to abort.
   *
   * @throws ApiError notFound; terminalUnreachable when the terminal does not acknowledge in time
   */
  async abort(caller: Caller, reference: PaymentReference, call: Waits): Promise<void> {
    await this.#abort((await this.#find(caller, reference)).id, 'reference', call);
  }

  /** Aborts the most recent request on a terminal (specification §4.6). */
  async abortLatest(caller: Caller, terminalId: string, call: Waits): Promise<void> {
    await this.#abort((await this.#findLatest(caller, terminalId)).id, 'terminal', call);
  }

  /** A ServiceID is unique for its terminal; the rare one that was drawn before is drawn again. */
  async #write(draft: Draft, tries = 3): Promise<Written> {
    let written: Written | undefined;
    try {
      return await this.#store.write(async (tx) => {
        written = (await this.#replay(tx, draft)) ?? (await this.#insert(tx, draft));
        return written;
      });
    } catch (error) {
      if (written?.open) this.#open.remove(written.open);
      if (error instanceof ApiError || tries === 1) throw error;
      return this.#write(draft, tries - 1);
    }
  }

  async #replay(tx: Tx, { order, hash }: Draft): Promise<Written | undefined> {
    if (order.idempotencyKey === undefined) return undefined;
    const former = await findByKey(tx, order.caller, order.idempotencyKey);
    if (!former) return undefined;
    const { clock, timeouts } = this.#runtime;
    if (former.concluded_at !== null && clock.now() >= former.concluded_at + timeouts.idempotencyMs)
      return undefined;
    if (former.request_hash !== hash) throw new ApiError('idempotencyKeyReused');
    return standing(former.id, former.answer);
  }

  async #insert(tx: Tx, draft: Draft): Promise<Written> {
    const { order, request, terminal } = draft;
    const account = this.#accounts.account(order.caller.accountId);
    const refusal = refusalOf(request, terminal, account);
    if (refusal) throw new ApiError(refusal);
    const row = this.#rowOf(draft);
    await insertPayment(tx, row);
    const busyWith = this.#open.onTerminal(terminal.id);
    if (busyWith) return { id: row.id, row, concluded: await this.#refuseBusy(tx, draft, row, busyWith) };
    const deliveredAt = this.#poi.isConnected(terminal.id) ? row.accepted_at : null;
    const state = { delivered_at: deliveredAt, deadline_at: null, abort_requested_at: null };
    await insertOpen(tx, { payment_id: row.id, terminal_id: terminal.id, ...state });
    await this.#acquirer.outcomes.bind(tx, terminal.id, row.id);
    const open = openPayment(row, state, terminal.poiId);
    this.#open.add(open);
    return { id: row.id, row, open };
  }

  #rowOf({ order, request, terminal, hash, unknown }: Draft): PaymentRow {
    const { identifiers, clock, random } = this.#runtime;
    const account = this.#accounts.account(order.caller.accountId);
    const payment = {
      id: identifiers.next(),
      acceptedAt: clock.now(),
      pinRule: this.#acquirer.pinRule(terminal.id, request.amount, request.currency),
    };
    const serviceId = alphanumeric(random, 10);
    return {
      id: payment.id,
      account_id: terminal.accountId,
      environment: terminal.environment,
      terminal_id: terminal.id,
      service_id: serviceId,
      amount: request.amount,
      currency: request.currency,
      idempotency_key: order.idempotencyKey ?? null,
      request_hash: hash,
      accepted_at: payment.acceptedAt,
      message: JSON.stringify(paymentMessage(request, payment, terminal, account)),
      unknown_fields: unknown.length > 0 ? JSON.stringify(unknown) : null,
      pin_rule: payment.pinRule ?? null,
    };
  }

  /** A busy terminal's refusal is a payment of its own, concluded at once (decision 16). */
  async #refuseBusy(
    tx: Tx,
    { order }: Draft,
    row: PaymentRow,
    busyWith: OpenPayment,
  ): Promise<NonNullable<Standing['concluded']>> {
    const why = `the terminal is busy with payment ${busyWith.id}`;
    const payment = { id: row.id, saleReferenceId: order.body.saleData?.saleReferenceId };
    const result = failureOf(payment, 'Busy', why);
    const text = JSON.stringify(result);
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
      answer: text,
    });
    return { result, text };
  }

  #tell(row: PaymentRow, { order, terminal, unknown }: Draft, result: TransactionResult | undefined): void {
    const { journal } = this.#runtime;
    const about = { terminal: terminal.poiId, payment: row.id };
    const { amount, currency, idempotency_key: key } = row;
    journal.add(
      'payment.accepted',
      { amount, currency, ...(key === null ? {} : { idempotencyKey: key }) },
      about,
    );
    if (unknown.length > 0)
      journal.add('request.unknownField', { requestId: order.requestId, paths: unknown }, about);
    if (result) {
      const why = result.response.additionalResponse?.message ?? '';
      journal.add('payment.concluded', { result: 'failure', errorCondition: 'busy', why }, about);
    }
  }

  #find(caller: Caller, { transactionId, idempotencyKey }: PaymentReference): Promise<Found> {
    return this.#required(
      this.#store.read((tx) =>
        transactionId === undefined
          ? findByKey(tx, caller, idempotencyKey ?? '')
          : findById(tx, caller, transactionId.toLowerCase()),
      ),
    );
  }

  async #findLatest(caller: Caller, terminalId: string): Promise<Found> {
    const terminal = this.#terminals.ofCaller(terminalId, caller);
    const found = await this.#required(this.#store.read((tx) => findLatest(tx, terminal.id)));
    const { clock, timeouts } = this.#runtime;
    if (found.accepted_at <= clock.now() - timeouts.latestRequestMs) throw nothingFound();
    return found;
  }

  async #required(finding: Promise<Found | undefined>): Promise<Found> {
    const found = await finding;
    if (!found) throw nothingFound();
    return found;
  }

  async #poll({ id, answer }: Found, call: Waits): Promise<Standing> {
    if (answer !== null) return standing(id, answer);
    if (!this.#open.byId(id)) return this.#stored(id);
    const { statusHoldMs } = this.#runtime.timeouts;
    return afterWait(id, await this.#waiting.wait(id, call, { timeoutMs: statusHoldMs }));
  }

  /** A payment that was concluded while somebody looked. */
  async #stored(id: string): Promise<Standing> {
    const row = await this.#store.read((tx) =>
      tx.selectFrom('payment_results').select('answer').where('payment_id', '=', id).executeTakeFirst(),
    );
    return standing(id, row?.answer ?? null);
  }

  async #abort(id: string, via: string, call: Waits): Promise<void> {
    const payment = this.#open.byId(id);
    if (!payment) return;
    const { journal, clock, timeouts } = this.#runtime;
    journal.add('payment.abortRequested', { via }, { terminal: payment.poiId, payment: id });
    const concluded = await this.#conclusions.settle(payment, (tx) =>
      this.#writeAbort(tx, payment, clock.now()),
    );
    if (concluded || payment.concluding) return;
    const acknowledged = this.#waiting.wait(id, call, {
      also: 'abortAcknowledged',
      timeoutMs: timeouts.abortHoldMs,
    });
    this.#recovery.sendAbort(payment);
    const { by } = await acknowledged;
    call.signal.throwIfAborted();
    if (by !== 'result' && by !== 'abortAcknowledged') throw new ApiError('terminalUnreachable');
  }

  /** What nobody delivered ends here; what was delivered is the terminal's to end (decision 24). */
  async #writeAbort(tx: Tx, payment: OpenPayment, now: number): Promise<Concluding | undefined> {
    if (payment.concluding) return undefined;
    payment.abortRequestedAt ??= now;
    if (payment.deliveredAt === undefined)
      return this.#conclusions.write(
        tx,
        payment,
        gatewayFailure(payment, 'Aborted', 'the merchant aborted it before it was delivered'),
      );
    await updateOpen(tx, payment.id, { abort_requested_at: payment.abortRequestedAt });
    return undefined;
  }
}

function standing(id: string, answer: string | null): Standing {
  return answer === null ? { id } : { id, concluded: { result: JSON.parse(answer), text: answer } };
}

function afterWait(id: string, woken: Woken): Standing {
  return woken.by === 'result' ? { id, concluded: woken } : { id };
}

function nothingFound(): ApiError {
  return new ApiError('notFound', { message: 'There is no such payment request' });
}

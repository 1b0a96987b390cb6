import type { Caller } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import { throwUnavailableIfFull } from '../http/unavailable-if-full.ts';
import { withDeadline } from '../http/with-deadline.ts';
import type { GatewayPaymentAcceptor } from './acceptance.ts';
import { isTimeLimitOver } from './core/delivering.ts';
import { makePaymentEntrySubject } from './core/effects.ts';
import type { OrderRequest } from './core/order.ts';
import { readStoredOutcome } from './core/outcome.ts';
import type { OpenState } from './core/states.ts';
import type { PaymentEffectRunner } from './moving/payment-effects.ts';
import type { PaymentInputQueue } from './moving/payment-engine-adapter.ts';
import { makePaymentSoFar, type PaymentSoFar } from './moving/payment-so-far.ts';
import {
  findLatestPayment,
  findPaymentById,
  findPaymentByIdempotencyKey,
  hasOpenPayment,
  type PaymentWithOutcomeRow,
} from './moving/rows.ts';
import type { WaitEnd, WaitingRequest } from './moving/waiters.ts';
import type { PaymentEngineMakerParts, PaymentsElsewhere } from './running.ts';

/** Names a payment by its identifier. If no identifier is given, names the latest payment with a key. */
type PaymentReference = Partial<Record<'transactionId' | 'idempotencyKey', string | undefined>>;

interface PaymentParts
  extends Pick<PaymentEngineMakerParts, 'runtime' | 'store' | 'terminals' | 'open' | 'waiting'> {
  acceptance: GatewayPaymentAcceptor;
  turns: PaymentInputQueue;
  effects: PaymentEffectRunner;
  elsewhere: PaymentsElsewhere;
}

/** The time at which a request arrived, on the monotonic clock. The request's time limit begins at this time. */
type Arrived = Pick<WaitingRequest, 'arrivedAt'>;

/** The result of a request to abort a payment. */
type AbortAsked = 'asked' | 'handedOn' | 'concluded';

/**
 * The service for payments on terminals. It accepts payments, lets requests wait for payments, finds payments, and
 * aborts payments (B11, B41–B53).
 */
export class PaymentService {
  readonly #parts: PaymentParts;

  constructor(parts: PaymentParts) {
    this.#parts = parts;
  }

  /** Stops the deadlines. The next process continues the open payments. */
  stop(): void {
    this.#parts.elsewhere.stop();
    this.#parts.effects.stop();
  }

  /**
   * Does what {@link GatewayPaymentAcceptor.accept} does, within the request's time limit.
   *
   * @throws ApiError unavailable if the payment is not stored in time. The payment may still be stored later; then a
   * request with the same key finds it (B42)
   */
  accept(request: OrderRequest, call: WaitingRequest): Promise<PaymentSoFar> {
    const accepting = this.#parts.acceptance.accept(request, call);
    return this.#inTime(accepting, call, this.#timeouts.paymentCapMs, notAccepted);
  }

  /**
   * Waits for a payment's outcome. If the request's time limit passes (B41) or the gateway stops, resolves without an
   * outcome.
   */
  async hold(accepted: PaymentSoFar, call: WaitingRequest): Promise<PaymentSoFar> {
    const { open, elsewhere, runtime } = this.#parts;
    const state = open.byId(accepted.id);
    if (state.is !== 'none') return this.#holdForOpen(accepted, state, call);
    if (elsewhere.possible) return this.#holdForRemote(accepted, call);
    return this.#inTime(this.#stored(accepted), call, runtime.timeouts.paymentCapMs, notRead);
  }

  /** Waits for a payment that this gateway runs. */
  async #holdForOpen(accepted: PaymentSoFar, state: OpenState, call: WaitingRequest): Promise<PaymentSoFar> {
    const { waiting, runtime } = this.#parts;
    const { clock, timeouts } = runtime;
    if (isTimeLimitOver(state, { monotonic: clock.monotonic(), timeouts })) return accepted;
    const limitMs = this.#leftOfCap(call);
    // If a request had to wait for its turn, the request arrived before its payment began. So the request's time limit
    // ends before the payment's time limit.
    const timeoutMs = call.arrivedAt < state.payment.begunAt ? limitMs : undefined;
    return afterWait(accepted, await waiting.wait(accepted.id, call, { also: 'cap', timeoutMs, limitMs }));
  }

  /** Waits for a payment that another gateway may run. The payment may also be concluded already. */
  async #holdForRemote(accepted: PaymentSoFar, call: WaitingRequest): Promise<PaymentSoFar> {
    const { waiting, runtime } = this.#parts;
    const { clock, timeouts } = runtime;
    const ofPaymentMs = timeouts.paymentCapMs - clock.elapsedSince(accepted.acceptedAt);
    const timeoutMs = Math.min(this.#leftOfCap(call), ofPaymentMs);
    if (timeoutMs <= 0) return accepted;
    return afterWait(accepted, await waiting.wait(accepted.id, call, { timeoutMs }));
  }

  /**
   * Gives the time in ms for which a payment request may still wait. The result is negative if the request's time limit
   * has already passed.
   */
  #leftOfCap({ arrivedAt }: Arrived): number {
    const { clock, timeouts } = this.#parts.runtime;
    return arrivedAt + timeouts.paymentCapMs - clock.monotonic();
  }

  /**
   * Gives the outcome of a payment. Waits for the outcome for up to 30 s (B49).
   *
   * @throws ApiError notFound
   */
  async status(caller: Caller, reference: PaymentReference, call: WaitingRequest): Promise<PaymentSoFar> {
    return this.#poll(this.#find(caller, reference).then(requiredPayment), call);
  }

  /**
   * Gives a payment, reversal or refund in its present state; undefined if there is none.
   *
   * @throws ApiError unavailable if the database does not answer within the time limit of {@link status}
   */
  async statusNow(
    caller: Caller,
    reference: PaymentReference,
    call: Arrived,
  ): Promise<PaymentSoFar | undefined> {
    const finding = this.#find(caller, reference);
    const found = await this.#inTime(finding, call, this.#timeouts.statusHoldMs, notRead);
    return found && makePaymentSoFar(found);
  }

  /**
   * Gives the outcome of the latest request on a terminal in the last 48 hours (B50).
   *
   * @throws ApiError terminalNotFound, notFound
   */
  async latest(caller: Caller, terminalId: string, call: WaitingRequest): Promise<PaymentSoFar> {
    return this.#poll(this.#findLatest(caller, terminalId), call);
  }

  /**
   * Aborts a payment (B52, B54). Resolves when the terminal has acknowledged the abort, or if the payment is over.
   *
   * @throws ApiError notFound
   * @throws ApiError terminalUnreachable if the terminal does not acknowledge the abort in time
   */
  async abort(caller: Caller, reference: PaymentReference, call: WaitingRequest): Promise<void> {
    await this.#abort(this.#find(caller, reference).then(requiredPayment), 'reference', call);
  }

  /**
   * Requests the abort of a payment, and does not wait for the terminal. The result is:
   * - `asked`: this gateway has sent the abort.
   * - `handedOn`: this gateway has asked the terminal's owner, which is another gateway, to send the abort.
   * - `concluded`: it is too late for an abort, because the payment is concluded.
   * - `unknown`: there is no such payment.
   *
   * @throws ApiError unavailable if the request is not stored within the time limit of {@link abort}
   */
  abortNow(caller: Caller, reference: PaymentReference, call: Arrived): Promise<AbortAsked | 'unknown'> {
    const asking = this.#find(caller, reference).then((found) =>
      found ? this.#askToAbort(found, 'reference') : 'unknown',
    );
    return this.#inTime(asking, call, this.#timeouts.abortHoldMs, notAborted);
  }

  /** Aborts the latest request on a terminal (B53). */
  async abortLatest(caller: Caller, terminalId: string, call: WaitingRequest): Promise<void> {
    await this.#abort(this.#findLatest(caller, terminalId), 'terminal', call);
  }

  /** Returns whether a payment is open on a terminal, at this gateway or at another one. */
  async isPaying(terminalId: string): Promise<boolean> {
    const { open, store } = this.#parts;
    return (
      open.onTerminal(terminalId).is !== 'none' || (await store.read((db) => hasOpenPayment(db, terminalId)))
    );
  }

  #find(
    caller: Caller,
    { transactionId, idempotencyKey }: PaymentReference,
  ): Promise<PaymentWithOutcomeRow | undefined> {
    return this.#parts.store.read((tx) =>
      transactionId === undefined
        ? findPaymentByIdempotencyKey(tx, caller, idempotencyKey ?? '')
        : findPaymentById(tx, caller, transactionId.toLowerCase()),
    );
  }

  async #findLatest(caller: Caller, terminalId: string): Promise<PaymentWithOutcomeRow> {
    const terminal = this.#parts.terminals.ofCaller(terminalId, caller);
    const found = required(await this.#parts.store.read((tx) => findLatestPayment(tx, caller, terminal.id)));
    const { clock } = this.#parts.runtime;
    if (clock.elapsedSince(found.accepted_at) >= this.#timeouts.latestRequestMs) throw nothingFound();
    return found;
  }

  async #poll(finding: Promise<PaymentWithOutcomeRow>, call: WaitingRequest): Promise<PaymentSoFar> {
    const { open, elsewhere, waiting } = this.#parts;
    const { statusHoldMs } = this.#timeouts;
    const found = await this.#inTime(finding, call, statusHoldMs, notRead);
    const { id } = found;
    const payment = makePaymentSoFar(found);
    if (payment.outcome) return payment;
    if (open.byId(id).is === 'none' && !elsewhere.possible)
      return this.#inTime(this.#stored(payment), call, statusHoldMs, notRead);
    if (open.byId(id).is === 'none') elsewhere.follow(found);
    const timeoutMs = this.#left(call, statusHoldMs);
    return afterWait(payment, await waiting.wait(id, call, { timeoutMs }));
  }

  /**
   * Gives the time in ms for which a request may still wait. The wait is limited to `holdMs` from the request's arrival
   * (B42).
   */
  #left({ arrivedAt }: Arrived, holdMs: number): number {
    return Math.max(0, arrivedAt + holdMs - this.#parts.runtime.clock.monotonic());
  }

  get #timeouts() {
    return this.#parts.runtime.timeouts;
  }

  #inTime<Result>(work: Promise<Result>, { arrivedAt }: Arrived, holdMs: number, message: string) {
    return withDeadline(this.#parts.runtime.clock, arrivedAt + holdMs, work, message);
  }

  /** If the payment was concluded during the lookup, adds the outcome to the payment. */
  async #stored(payment: PaymentSoFar): Promise<PaymentSoFar> {
    const row = await this.#parts.store.read((tx) =>
      tx
        .selectFrom('payment_results')
        .select(['answer', 'outcome'])
        .where('payment_id', '=', payment.id)
        .executeTakeFirst(),
    );
    const outcome = row && readStoredOutcome(row);
    return outcome ? { ...payment, outcome } : payment;
  }

  async #abort(finding: Promise<PaymentWithOutcomeRow>, via: string, call: WaitingRequest): Promise<void> {
    const { abortHoldMs } = this.#timeouts;
    const found = await this.#inTime(finding, call, abortHoldMs, notAborted);
    const asked = await this.#inTime(this.#askToAbort(found, via), call, abortHoldMs, notAborted);
    if (asked === 'concluded') return;
    const { by } = await this.#parts.waiting.wait(found.id, call, {
      also: 'abortAcknowledged',
      timeoutMs: this.#left(call, abortHoldMs),
    });
    if (by === 'result' || by === 'abortAcknowledged') return;
    call.signal.throwIfAborted();
    throw new ApiError('terminalUnreachable');
  }

  async #askToAbort(found: PaymentWithOutcomeRow, via: string): Promise<AbortAsked> {
    const { id } = found;
    const { open, turns, elsewhere, runtime } = this.#parts;
    const former = open.byId(id);
    if (former.is !== 'none') {
      runtime.journal.add('payment.abortRequested', { via }, makePaymentEntrySubject(former.payment));
      const { state } = await throwUnavailableIfFull(
        turns.put(former.payment.terminalId, id, { is: 'abortAsked' }),
      );
      if (state.is !== 'none') return 'asked';
    }
    if (!(await elsewhere.abort(found))) return 'concluded';
    if (former.is === 'none') runtime.journal.add('payment.abortRequested', { via }, { payment: id });
    return 'handedOn';
  }
}

const notAccepted =
  'The gateway could not store the payment in time; send the request again with the same Idempotency-Key, or ask for its status';
const notRead = 'The gateway cannot read its stored data at present; try again';
const notAborted =
  'The gateway could not store the abort in time, but the payment may still be aborted; ask for the status of the payment';

function required(found: PaymentWithOutcomeRow | undefined): PaymentWithOutcomeRow {
  if (!found) throw nothingFound();
  return found;
}

/** Throws notFound for reversals and refunds, because the native API does not know them (B494). */
function requiredPayment(found: PaymentWithOutcomeRow | undefined): PaymentWithOutcomeRow {
  return required(found?.kind === 'payment' ? found : undefined);
}

function afterWait(payment: PaymentSoFar, woken: WaitEnd): PaymentSoFar {
  return woken.by === 'result' ? { ...payment, outcome: woken.outcome } : payment;
}

function nothingFound(): ApiError {
  return new ApiError('notFound', { message: 'The payment request does not exist' });
}

import type { Runtime } from '../../shared/runtime.ts';
import type { Caller } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import { unlessFull } from '../http/unless-full.ts';
import type { Store } from '../store/store.ts';
import type { TerminalService } from '../terminals/service.ts';
import { type Acceptance, type PaymentSoFar, soFar } from './acceptance.ts';
import { capPassed } from './delivering.ts';
import { about } from './effects.ts';
import type { Elsewhere } from './elsewhere.ts';
import type { Interpreter } from './interpreter.ts';
import type { OpenPayments } from './open-payments.ts';
import type { OrderRequest } from './order.ts';
import { storedOutcome } from './outcome.ts';
import type { PaymentTurns } from './payment-moves.ts';
import { type Found, findById, findByKey, findLatest } from './rows.ts';
import type { PaymentReference } from './schemas.ts';
import type { Waiting, Waits, Woken } from './waiting.ts';

interface PaymentParts {
  runtime: Runtime;
  store: Store;
  acceptance: Acceptance;
  terminals: TerminalService;
  open: OpenPayments;
  waiting: Waiting;
  turns: PaymentTurns;
  interpreter: Interpreter;
  /** Where other gateways run payments too. */
  shared: { elsewhere: Elsewhere; stop(): void } | undefined;
}

/** What became of a request to abort a payment. */
type AbortAsked = 'asked' | 'handedOn' | 'concluded';

/** Terminal payments: accepted, held, looked up, aborted (B11, B41–B53). */
export class PaymentService {
  readonly #parts: PaymentParts;

  constructor(parts: PaymentParts) {
    this.#parts = parts;
  }

  /** Stops the deadlines: the next process continues with the open payments. */
  stop(): void {
    this.#parts.shared?.stop();
    this.#parts.interpreter.stop();
  }

  /** See {@link Acceptance.accept}. */
  accept(request: OrderRequest): Promise<PaymentSoFar> {
    return this.#parts.acceptance.accept(request);
  }

  /** Waits for a payment's outcome until its cap (B41), or until the gateway stops. */
  async hold(accepted: PaymentSoFar, call: Waits): Promise<PaymentSoFar> {
    const { open, shared, waiting, runtime } = this.#parts;
    const { clock, timeouts } = runtime;
    const { id } = accepted;
    const state = open.byId(id);
    if (state.is !== 'none') {
      if (capPassed(state, { monotonic: clock.monotonic(), timeouts })) return accepted;
      return afterWait(accepted, await waiting.wait(id, call, { also: 'cap' }));
    }
    if (!shared) return this.#stored(accepted);
    const timeoutMs = timeouts.paymentCapMs - clock.elapsedSince(accepted.acceptedAt);
    return timeoutMs <= 0 ? accepted : afterWait(accepted, await waiting.wait(id, call, { timeoutMs }));
  }

  /**
   * The outcome of a payment, waited for up to 30 s (B49).
   *
   * @throws ApiError notFound
   */
  async status(caller: Caller, reference: PaymentReference, call: Waits): Promise<PaymentSoFar> {
    return this.#poll(required(await this.#find(caller, reference)), call);
  }

  /** The same as it is at this moment; undefined if there is no such payment. */
  async statusNow(caller: Caller, reference: PaymentReference): Promise<PaymentSoFar | undefined> {
    const found = await this.#find(caller, reference);
    return found && soFar(found);
  }

  /**
   * The outcome of the most recent request on a terminal, of the last 48 hours (B50).
   *
   * @throws ApiError terminalNotFound, notFound
   */
  async latest(caller: Caller, terminalId: string, call: Waits): Promise<PaymentSoFar> {
    return this.#poll(await this.#findLatest(caller, terminalId), call);
  }

  /**
   * Aborts a payment (B52, B54). Resolves when the abort reached the terminal, or there is
   * nothing to abort.
   *
   * @throws ApiError notFound; terminalUnreachable when the terminal does not acknowledge in time
   */
  async abort(caller: Caller, reference: PaymentReference, call: Waits): Promise<void> {
    await this.#abort(required(await this.#find(caller, reference)), 'reference', call);
  }

  /**
   * Asks for the same without waiting for the terminal: it is told whether the abort is under way here, handed on to the
   * gateway that runs the terminal, or too late, because the payment is concluded; `unknown` if there is no such payment.
   */
  async abortNow(caller: Caller, reference: PaymentReference): Promise<AbortAsked | 'unknown'> {
    const found = await this.#find(caller, reference);
    return found ? this.#askToAbort(found, 'reference') : 'unknown';
  }

  /** Aborts the most recent request on a terminal (B53). */
  async abortLatest(caller: Caller, terminalId: string, call: Waits): Promise<void> {
    await this.#abort(await this.#findLatest(caller, terminalId), 'terminal', call);
  }

  #find(caller: Caller, { transactionId, idempotencyKey }: PaymentReference): Promise<Found | undefined> {
    return this.#parts.store.read((tx) =>
      transactionId === undefined
        ? findByKey(tx, caller, idempotencyKey ?? '')
        : findById(tx, caller, transactionId.toLowerCase()),
    );
  }

  async #findLatest(caller: Caller, terminalId: string): Promise<Found> {
    const terminal = this.#parts.terminals.ofCaller(terminalId, caller);
    const found = required(await this.#parts.store.read((tx) => findLatest(tx, caller, terminal.id)));
    const { clock, timeouts } = this.#parts.runtime;
    if (clock.elapsedSince(found.accepted_at) >= timeouts.latestRequestMs) throw nothingFound();
    return found;
  }

  async #poll(found: Found, call: Waits): Promise<PaymentSoFar> {
    const { open, shared, waiting, runtime } = this.#parts;
    const { id } = found;
    const payment = soFar(found);
    if (payment.outcome) return payment;
    if (open.byId(id).is === 'none' && !shared) return this.#stored(payment);
    if (open.byId(id).is === 'none') shared?.elsewhere.follow(found);
    const { statusHoldMs } = runtime.timeouts;
    return afterWait(payment, await waiting.wait(id, call, { timeoutMs: statusHoldMs }));
  }

  /** A payment that was concluded during the lookup. */
  async #stored(payment: PaymentSoFar): Promise<PaymentSoFar> {
    const row = await this.#parts.store.read((tx) =>
      tx
        .selectFrom('payment_results')
        .select(['answer', 'outcome'])
        .where('payment_id', '=', payment.id)
        .executeTakeFirst(),
    );
    const outcome = row && storedOutcome(row);
    return outcome ? { ...payment, outcome } : payment;
  }

  async #abort(found: Found, via: string, call: Waits): Promise<void> {
    const { waiting, runtime } = this.#parts;
    if ((await this.#askToAbort(found, via)) === 'concluded') return;
    const { by } = await waiting.wait(found.id, call, {
      also: 'abortAcknowledged',
      timeoutMs: runtime.timeouts.abortHoldMs,
    });
    if (by === 'result' || by === 'abortAcknowledged') return;
    call.signal.throwIfAborted();
    throw new ApiError('terminalUnreachable');
  }

  async #askToAbort(found: Found, via: string): Promise<AbortAsked> {
    const { id } = found;
    const { open, turns, shared, runtime } = this.#parts;
    const former = open.byId(id);
    if (former.is !== 'none') {
      runtime.journal.add('payment.abortRequested', { via }, about(former.payment));
      const { state } = await unlessFull(turns.put(former.payment.terminalId, id, { is: 'abortAsked' }));
      if (state.is !== 'none') return 'asked';
    }
    if (!shared || !(await shared.elsewhere.abort(found))) return 'concluded';
    if (former.is === 'none') runtime.journal.add('payment.abortRequested', { via }, { payment: id });
    return 'handedOn';
  }
}

function required(found: Found | undefined): Found {
  if (!found) throw nothingFound();
  return found;
}

function afterWait(payment: PaymentSoFar, woken: Woken): PaymentSoFar {
  return woken.by === 'result' ? { ...payment, outcome: woken.outcome } : payment;
}

function nothingFound(): ApiError {
  return new ApiError('notFound', { message: 'The payment request does not exist' });
}

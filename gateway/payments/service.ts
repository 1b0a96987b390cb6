import { assign } from '../../shared/database/unit-of-work.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Caller } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import type { Unit } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { TerminalService } from '../terminals/service.ts';
import { type Acceptance, type PaymentOrder, type Standing, standing } from './acceptance.ts';
import { type Concluding, type Conclusions, gatewayFailure } from './conclusion.ts';
import type { OpenPayment, OpenPayments } from './open-payments.ts';
import type { Recovery } from './recovery.ts';
import { type Found, findById, findByKey, findLatest, updateOpen } from './rows.ts';
import type { PaymentReference } from './schemas.ts';
import type { Waiting, Waits, Woken } from './waiting.ts';

interface PaymentParts {
  runtime: Runtime;
  store: Store;
  acceptance: Acceptance;
  terminals: TerminalService;
  open: OpenPayments;
  waiting: Waiting;
  conclusions: Conclusions;
  recovery: Recovery;
}

/** Terminal payments: accepted, held, looked up, aborted (B11, B41–B53). */
export class PaymentService {
  readonly #parts: PaymentParts;

  constructor(parts: PaymentParts) {
    this.#parts = parts;
  }

  /** From now on no deadline runs: what is open is the next process's. */
  stop(): void {
    this.#parts.recovery.stop();
  }

  /** See {@link Acceptance.accept}. */
  accept(order: PaymentOrder): Promise<Standing> {
    return this.#parts.acceptance.accept(order);
  }

  /** Waits for a payment's outcome until its cap (B41), or no longer at all when the gateway stops. */
  async hold(id: string, call: Waits): Promise<Standing> {
    const open = this.#parts.open.byId(id);
    if (!open) return this.#stored(id);
    if (this.#parts.recovery.capPassed(open)) return { id };
    return afterWait(id, await this.#parts.waiting.wait(id, call, { also: 'cap' }));
  }

  /**
   * The outcome of a payment, waited for up to 30 s (B49).
   *
   * @throws ApiError notFound
   */
  async status(caller: Caller, reference: PaymentReference, call: Waits): Promise<Standing> {
    return this.#poll(await this.#find(caller, reference), call);
  }

  /**
   * The outcome of the most recent request on a terminal, of the last 48 hours (B50).
   *
   * @throws ApiError terminalNotFound, notFound
   */
  async latest(caller: Caller, terminalId: string, call: Waits): Promise<Standing> {
    return this.#poll(await this.#findLatest(caller, terminalId), call);
  }

  /**
   * Aborts a payment (B52, B54). Resolves when the abort reached the terminal, or there is
   * nothing to abort.
   *
   * @throws ApiError notFound; terminalUnreachable when the terminal does not acknowledge in time
   */
  async abort(caller: Caller, reference: PaymentReference, call: Waits): Promise<void> {
    await this.#abort((await this.#find(caller, reference)).id, 'reference', call);
  }

  /** Aborts the most recent request on a terminal (B53). */
  async abortLatest(caller: Caller, terminalId: string, call: Waits): Promise<void> {
    await this.#abort((await this.#findLatest(caller, terminalId)).id, 'terminal', call);
  }

  #find(caller: Caller, { transactionId, idempotencyKey }: PaymentReference): Promise<Found> {
    return this.#required(
      this.#parts.store.read((tx) =>
        transactionId === undefined
          ? findByKey(tx, caller, idempotencyKey ?? '')
          : findById(tx, caller, transactionId.toLowerCase()),
      ),
    );
  }

  async #findLatest(caller: Caller, terminalId: string): Promise<Found> {
    const terminal = this.#parts.terminals.ofCaller(terminalId, caller);
    const found = await this.#required(this.#parts.store.read((tx) => findLatest(tx, caller, terminal.id)));
    const { clock, timeouts } = this.#parts.runtime;
    if (clock.elapsedSince(found.accepted_at) >= timeouts.latestRequestMs) throw nothingFound();
    return found;
  }

  async #required(finding: Promise<Found | undefined>): Promise<Found> {
    const found = await finding;
    if (!found) throw nothingFound();
    return found;
  }

  async #poll({ id, answer }: Found, call: Waits): Promise<Standing> {
    if (answer !== null) return standing(id, answer);
    if (!this.#parts.open.byId(id)) return this.#stored(id);
    const { statusHoldMs } = this.#parts.runtime.timeouts;
    return afterWait(id, await this.#parts.waiting.wait(id, call, { timeoutMs: statusHoldMs }));
  }

  /** A payment that was concluded during the lookup. */
  async #stored(id: string): Promise<Standing> {
    const row = await this.#parts.store.read((tx) =>
      tx.selectFrom('payment_results').select('answer').where('payment_id', '=', id).executeTakeFirst(),
    );
    return standing(id, row?.answer ?? null);
  }

  async #abort(id: string, via: string, call: Waits): Promise<void> {
    const payment = this.#parts.open.byId(id);
    if (!payment) return;
    const { journal, clock, timeouts } = this.#parts.runtime;
    journal.add('payment.abortRequested', { via }, { terminal: payment.poiId, payment: id });
    const concluded = await this.#parts.conclusions.settle((unit) =>
      this.#writeAbort(unit, payment, clock.now()),
    );
    if (concluded || payment.concluding) return;
    const acknowledged = this.#parts.waiting.wait(id, call, {
      also: 'abortAcknowledged',
      timeoutMs: timeouts.abortHoldMs,
    });
    this.#parts.recovery.sendAbort(payment);
    const { by } = await acknowledged;
    if (by === 'result' || by === 'abortAcknowledged') return;
    call.signal.throwIfAborted();
    throw new ApiError('terminalUnreachable');
  }

  /** An undelivered payment ends here; the terminal ends a delivered one (B54). */
  async #writeAbort(unit: Unit, payment: OpenPayment, now: number): Promise<Concluding | undefined> {
    if (payment.concluding) return undefined;
    const abortRequestedAt = payment.abortRequestedAt ?? now;
    assign(unit, payment, { abortRequestedAt });
    if (payment.deliveredAt === undefined)
      return this.#parts.conclusions.write(
        unit,
        payment,
        gatewayFailure(payment, 'Aborted', 'the merchant aborted it before it was delivered'),
      );
    await updateOpen(unit, payment.id, { abort_requested_at: abortRequestedAt });
    return undefined;
  }
}

function afterWait(id: string, woken: Woken): Standing {
  return woken.by === 'result' ? { id, answer: woken.answer } : { id };
}

function nothingFound(): ApiError {
  return new ApiError('notFound', { message: 'There is no such payment request' });
}

import { isStorageFault } from '../../../shared/database/storage-fault.ts';
import { DeadlineScheduler } from '../../../shared/deadlines.ts';
import { makeAlphanumericText } from '../../../shared/random.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import type { PoiServer } from '../../terminals/poi-server.ts';
import type { TerminalService } from '../../terminals/service.ts';
import {
  type Effect,
  makePaymentEntrySubject,
  makePaymentKindField,
  type TimerName,
  timerNames,
} from '../core/effects.ts';
import type { Payment } from '../core/states.ts';
import type { Input, Step } from '../core/step.ts';
import type { OpenPayments } from './open-payments.ts';
import type { PaymentInputQueue } from './payment-engine-adapter.ts';
import type { PaymentMomentReporter } from './payment-moments.ts';
import type { PaymentWaiters, WaitEnd } from './waiters.ts';

interface PaymentEffectsParts {
  runtime: Runtime;
  terminals: TerminalService;
  poi: PoiServer;
  open: OpenPayments;
  waiting: PaymentWaiters;
  /** Receives the inputs that effects cause. */
  turns: Pick<PaymentInputQueue, 'put'>;
  /**
   * Called when this gateway answers the requests that wait at this gateway for a payment. The function then informs
   * other gateways, because requests may wait there for the same payment.
   */
  told: ((paymentId: string, woken: WaitEnd) => void) | undefined;
  /** Reports the moments of a payment, which are the steps at which a test can act. */
  moments?: PaymentMomentReporter;
}

type EffectOf<Name> = Extract<Effect, { do: Name }>;
type Late = EffectOf<'decideLate'>;

/**
 * Carries out effects in their order after their step is stored. If an effect fails, the next ones are still carried
 * out.
 */
export class PaymentEffectRunner {
  readonly #parts: PaymentEffectsParts;
  readonly #timers: Record<TimerName, DeadlineScheduler>;
  /**
   * The host's decisions that a test has delayed. If the result of a decision cannot be stored, the host decides again.
   */
  readonly #late: DeadlineScheduler;
  readonly #lateDecisions = new Map<string, Late>();
  #lateCount = 0;
  #stopped = false;

  constructor(parts: PaymentEffectsParts) {
    this.#parts = parts;
    const { clock } = parts.runtime;
    const failed = (id: string, error: unknown, failures: number) => this.#notWritten(id, error, failures);
    const timer = (timer: TimerName) =>
      new DeadlineScheduler(clock, { run: (id) => this.#due(timer, id), failed });
    this.#timers = { cap: timer('cap'), giveUp: timer('giveUp'), ask: timer('ask'), retry: timer('retry') };
    this.#late = new DeadlineScheduler(clock, {
      run: (name) => this.#decideLate(name),
      failed: (name, error, failures) => {
        const late = this.#lateDecisions.get(name);
        if (late) failed(late.request.PaymentReference, error, failures);
      },
    });
  }

  run(effects: readonly Effect[], step?: Step): void {
    const { moments } = this.#parts;
    if (moments && !moments.isIdle) moments.effects(effects, step, (effect) => this.#try(effect));
    else for (const effect of effects) this.#try(effect);
  }

  #try(effect: Effect): void {
    try {
      this.#do(effect);
    } catch (error) {
      this.#warn(error);
    }
  }

  /** Starts nothing new from now on. The next process continues the open payments. */
  stop(): void {
    this.#stopped = true;
    for (const timer of timerNames) this.#timers[timer].stop();
    this.#late.stop();
  }

  /**
   * Handles an input that failed. If the database could not store the input, the gateway tries the due work of the
   * terminal's payment again, until the result is stored (B68).
   */
  failed(terminalId: string, error: unknown): void {
    if (!isStorageFault(error)) return this.#warn(error);
    const state = this.#parts.open.onTerminal(terminalId);
    if (state.is !== 'none') this.#timers.retry.doNow(state.payment.id);
  }

  #do(effect: Effect): void {
    const { runtime, poi, terminals } = this.#parts;
    switch (effect.do) {
      case 'journal': {
        const { kind, data, about } = effect.note;
        return void runtime.journal.add(kind, data, about);
      }
      case 'deliver':
        return this.#deliver(effect);
      case 'abort':
        return this.#abort(effect.payment);
      case 'ask':
        return this.#ask(effect.payment);
      case 'reply': {
        const { terminal, serviceId, response: body } = effect;
        const payment = body.PaymentReference;
        return void poi.send(terminal, { kind: 'AcquirerResponse', serviceId, body, payment });
      }
      case 'decideLate':
        return this.#waitFor(effect);
      case 'watch':
        return poi.watch(effect.terminalId, effect.paying);
      case 'forget':
        return terminals.forget(effect.terminal);
      case 'arm':
        return this.#arm(effect);
      case 'disarm':
        for (const timer of effect.timers) this.#timers[timer].clear(effect.paymentId);
        return;
      case 'answer':
        return this.#wake(effect.paymentId, { by: 'result', outcome: effect.outcome });
    }
  }

  #deliver({ payment, again }: EffectOf<'deliver'>): void {
    const { poi, runtime } = this.#parts;
    if (this.#stopped || this.#isTooLate(payment)) return;
    const terminal = this.#terminalOf(payment);
    const sent =
      terminal !== undefined &&
      poi.send(
        terminal,
        {
          kind: `${categoryOf(payment)}Request`,
          serviceId: payment.serviceId,
          body: payment.message,
          payment: payment.id,
        },
        () => this.#takeInput(payment, { is: 'requestTaken' }),
        () => this.#takeInput(payment, { is: 'requestRefused' }),
      );
    if (sent)
      runtime.journal.add(
        'payment.delivered',
        { ...makePaymentKindField(payment), again },
        makePaymentEntrySubject(payment),
      );
    else this.#takeInput(payment, { is: 'linkDown' });
  }

  /**
   * Returns whether the payment's time limit has passed. If a slow database commits a delivery only after this limit,
   * the gateway does not send the payment. Later the gateway only asks the terminal about the payment, and the terminal
   * answers that it does not know the payment (B68).
   */
  #isTooLate({ begunAt }: Payment): boolean {
    const { clock, timeouts } = this.#parts.runtime;
    return clock.monotonic() >= begunAt + timeouts.paymentCapMs;
  }

  /**
   * Sends the abort to the terminal. When the terminal has acknowledged the abort, the requests that wait for this are
   * answered.
   */
  #abort(payment: Payment): void {
    const terminal = this.#terminalOf(payment);
    if (!terminal) return;
    const body = {
      MessageReference: { MessageCategory: categoryOf(payment), ServiceID: payment.serviceId },
      AbortReason: 'MerchantAbort',
    };
    const serviceId = makeAlphanumericText(this.#parts.runtime.random, 10);
    this.#parts.poi.send(terminal, { kind: 'AbortRequest', serviceId, body, payment: payment.id }, () =>
      this.#wake(payment.id, { by: 'abortAcknowledged' }),
    );
  }

  #ask(payment: Payment): void {
    const terminal = this.#terminalOf(payment);
    if (!terminal || this.#stopped) return;
    const body = { MessageReference: { MessageCategory: categoryOf(payment), ServiceID: payment.serviceId } };
    const serviceId = makeAlphanumericText(this.#parts.runtime.random, 10);
    const { id } = payment;
    this.#parts.poi.send(terminal, { kind: 'TransactionStatusRequest', serviceId, body, payment: id });
  }

  #terminalOf({ terminalId }: Payment) {
    return this.#parts.terminals.byId(terminalId);
  }

  #arm({ timer, paymentId, at }: EffectOf<'arm'>): void {
    const inMs = at - this.#parts.runtime.clock.monotonic();
    if (inMs > 0) this.#timers[timer].set(paymentId, inMs);
    else this.#timers[timer].doNow(paymentId);
  }

  /**
   * Handles a timer. The answer 303 at the payment's time limit needs no commit. So the answer is sent in time, even if
   * other decisions about the terminal wait for a commit (B68).
   */
  #due(timer: TimerName, id: string): Promise<unknown> | undefined {
    const { open, waiting } = this.#parts;
    if (timer === 'cap') waiting.wake(id, { by: 'cap' });
    const state = open.byId(id);
    return state.is === 'none' ? undefined : this.#put(state.payment, { is: 'due' });
  }

  #waitFor(late: Late): void {
    const name = `${late.request.PaymentReference} ${late.request.AttemptID} ${this.#lateCount++}`;
    this.#lateDecisions.set(name, late);
    this.#late.set(name, late.inMs);
  }

  async #decideLate(name: string): Promise<void> {
    const late = this.#lateDecisions.get(name);
    if (!late) return;
    const { terminal, serviceId, request } = late;
    await this.#parts.turns.put(terminal.id, request.PaymentReference, {
      is: 'hostAsked',
      terminal,
      serviceId,
      request,
      late: true,
    });
    this.#lateDecisions.delete(name);
  }

  #wake(paymentId: string, woken: WaitEnd): void {
    this.#parts.told?.(paymentId, woken);
    this.#parts.waiting.wake(paymentId, woken);
  }

  /** Queues an input that an effect causes. */
  #takeInput(payment: Payment, input: Input): void {
    this.#put(payment, input).catch((error: unknown) => this.failed(payment.terminalId, error));
  }

  #warn(error: unknown): void {
    const message = `a step of a payment failed: ${error instanceof Error ? error.stack : error}`;
    this.#parts.runtime.journal.add('warning', { message });
  }

  #put({ id, terminalId }: Payment, input: Input): Promise<unknown> {
    return this.#parts.turns.put(terminalId, id, input);
  }

  /** Warns that a payment could not be stored. Only the first of several failures in a row is reported (B68). */
  #notWritten(id: string, error: unknown, failures: number): void {
    const state = this.#parts.open.byId(id);
    if (state.is === 'none' || failures > 1) return;
    const message = `the payment could not be stored: ${error instanceof Error ? error.message : error}`;
    this.#parts.runtime.journal.add('warning', { message }, makePaymentEntrySubject(state.payment));
  }
}

/** Gives nexo's name for what the terminal was asked to do. */
function categoryOf({ kind }: Payment): 'Payment' | 'Reversal' {
  return kind === 'reversal' ? 'Reversal' : 'Payment';
}

import type { Clock } from '../../../shared/clock.ts';
import type { StoredOutcome } from '../core/outcome.ts';

/** Why a wait ended. `ended`: the client hung up or the gateway shuts down. */
export type Woken =
  | { by: 'result'; outcome: StoredOutcome }
  | { by: 'cap' | 'abortAcknowledged' | 'timeout' | 'ended' };

interface Waiter {
  readonly call: Waits;
  wakes: ReadonlySet<Woken['by']>;
  wake(woken: Woken): void;
}

/** The part of a call that waiting needs. */
export interface Waits {
  readonly arrivedAt: number;
  readonly signal: AbortSignal;
  park(limitMs?: number): () => void;
  /** Breaks the connection off: the client gets no answer. */
  cut?(): void;
}

/** The calls that wait for something of a payment: held requests and their repetitions, long polls, aborts. */
export class Waiters {
  #clock: Clock;
  #waiters = new Map<string, Set<Waiter>>();
  /** The request that asks for a payment, until that is accepted. */
  #arriving = new Map<string, Waits>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The payments that a call waits for. */
  get payments(): string[] {
    return [...this.#waiters.keys()];
  }

  has(paymentId: string): boolean {
    return this.#waiters.has(paymentId);
  }

  /**
   * Waits for the payment's result, and for `also` or `timeoutMs` if given. While it waits the request is parked, so that
   * virtual time may move; `limitMs` is the longest time until what it waits for is there.
   */
  wait(
    paymentId: string,
    call: Waits,
    options: { also?: 'cap' | 'abortAcknowledged'; timeoutMs?: number; limitMs?: number },
  ): Promise<Woken> {
    if (call.signal.aborted) return Promise.resolve({ by: 'ended' });
    const resume = call.park(options.timeoutMs ?? options.limitMs);
    const waiters = this.#waiters.get(paymentId) ?? new Set<Waiter>();
    this.#waiters.set(paymentId, waiters);
    return new Promise<Woken>((resolve) => {
      const wake = (woken: Woken) => {
        resume();
        waiters.delete(waiter);
        if (waiters.size === 0 && this.#waiters.get(paymentId) === waiters) this.#waiters.delete(paymentId);
        call.signal.removeEventListener('abort', ended);
        this.#clock.clearTimeout(timer);
        resolve(woken);
      };
      const waiter: Waiter = {
        call,
        wakes: new Set(['result', ...(options.also ? [options.also] : [])]),
        wake,
      };
      const ended = () => wake({ by: 'ended' });
      const timer =
        options.timeoutMs === undefined
          ? undefined
          : this.#clock.setTimeout(() => wake({ by: 'timeout' }), options.timeoutMs);
      call.signal.addEventListener('abort', ended, { once: true });
      waiters.add(waiter);
    });
  }

  /** Wakes the calls that wait for this. */
  wake(paymentId: string, woken: Woken): void {
    for (const waiter of [...(this.#waiters.get(paymentId) ?? [])]) {
      if (waiter.wakes.has(woken.by)) waiter.wake(woken);
    }
  }

  /** A request asks for a payment of this identifier. Call what it returns when the request waits, or is over. */
  arriving(paymentId: string, call: Waits): () => void {
    this.#arriving.set(paymentId, call);
    return () => void this.#arriving.delete(paymentId);
  }

  /** Gives a function that breaks off the connections of the calls that ask for the payment, or wait for it, at this moment. */
  cutter(paymentId: string): () => void {
    const calls = [...(this.#waiters.get(paymentId) ?? [])].map(({ call }) => call);
    const arriving = this.#arriving.get(paymentId);
    if (arriving) calls.push(arriving);
    return () => {
      for (const call of calls) call.cut?.();
    };
  }
}

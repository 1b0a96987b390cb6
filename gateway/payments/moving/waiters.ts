import type { Clock } from '../../../shared/clock.ts';
import type { StoredOutcome } from '../core/outcome.ts';

/** Why a wait ended. `ended` means that the client hung up or the gateway stops. */
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
  /** Breaks off the connection, so that the client gets no answer. */
  cut?(): void;
}

/** Keeps the calls that wait for something about a payment: held and repeated requests, long polls, aborts. */
export class Waiters {
  #clock: Clock;
  #waiters = new Map<string, Set<Waiter>>();
  /** The requests whose payments are being accepted. */
  #arriving = new Map<string, Waits>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The payments about which calls wait. */
  get payments(): string[] {
    return [...this.#waiters.keys()];
  }

  has(paymentId: string): boolean {
    return this.#waiters.has(paymentId);
  }

  /**
   * Waits for the payment's result, but no longer than until the event `also` or for `timeoutMs`, if given. During the
   * wait the request does not count as work, so that virtual time may move; `limitMs` is the longest time that the wait
   * takes.
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

  /** Wakes the calls that wait for this event. */
  wake(paymentId: string, woken: Woken): void {
    for (const waiter of [...(this.#waiters.get(paymentId) ?? [])]) {
      if (waiter.wakes.has(woken.by)) waiter.wake(woken);
    }
  }

  /**
   * Notes that a call is about a payment with this identifier and has not begun to wait. Call the returned function
   * when the call waits, or is over.
   */
  arriving(paymentId: string, call: Waits): () => void {
    this.#arriving.set(paymentId, call);
    return () => void this.#arriving.delete(paymentId);
  }

  /** Gives a function that breaks off the connections of all calls that ask about the payment or wait for it now. */
  cutter(paymentId: string): () => void {
    const calls = [...(this.#waiters.get(paymentId) ?? [])].map(({ call }) => call);
    const arriving = this.#arriving.get(paymentId);
    if (arriving) calls.push(arriving);
    return () => {
      for (const call of calls) call.cut?.();
    };
  }
}

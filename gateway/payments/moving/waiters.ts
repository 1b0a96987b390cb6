import type { Clock } from '../../../shared/clock.ts';
import type { StoredOutcome } from '../core/outcome.ts';

/** Why a wait ended. `ended`: the client hung up or the gateway shuts down. */
export type Woken =
  | { by: 'result'; outcome: StoredOutcome }
  | { by: 'cap' | 'abortAcknowledged' | 'timeout' | 'ended' };

interface Waiter {
  wakes: ReadonlySet<Woken['by']>;
  wake(woken: Woken): void;
}

/** The part of a call that waiting needs. */
export interface Waits {
  readonly arrivedAt: number;
  readonly signal: AbortSignal;
  park(limitMs?: number): () => void;
}

/** Who waits for what of which payment: held requests and those that join them, long polls, aborts. */
export class Waiters {
  #clock: Clock;
  #waiters = new Map<string, Set<Waiter>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The payments that somebody waits for. */
  get payments(): string[] {
    return [...this.#waiters.keys()];
  }

  has(paymentId: string): boolean {
    return this.#waiters.has(paymentId);
  }

  /**
   * Waits for the payment's result, and for `also` or `timeoutMs` where given. While it waits the request is parked, so that
   * virtual time may move; `limitMs` is when what it waits for is there at the latest.
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
      const waiter: Waiter = { wakes: new Set(['result', ...(options.also ? [options.also] : [])]), wake };
      const ended = () => wake({ by: 'ended' });
      const timer =
        options.timeoutMs === undefined
          ? undefined
          : this.#clock.setTimeout(() => wake({ by: 'timeout' }), options.timeoutMs);
      call.signal.addEventListener('abort', ended, { once: true });
      waiters.add(waiter);
    });
  }

  /** Wakes those who wait for this. */
  wake(paymentId: string, woken: Woken): void {
    for (const waiter of [...(this.#waiters.get(paymentId) ?? [])]) {
      if (waiter.wakes.has(woken.by)) waiter.wake(woken);
    }
  }
}

import type { Clock } from '../../../shared/clock.ts';
import type { StoredOutcome } from '../core/outcome.ts';

/** The reason why a wait ended. `ended` means that the client hung up, or that the gateway is stopping. */
export type WaitEnd =
  | { by: 'result'; outcome: StoredOutcome }
  | { by: 'cap' | 'abortAcknowledged' | 'timeout' | 'ended' };

interface Waiter {
  readonly call: WaitingRequest;
  wakes: ReadonlySet<WaitEnd['by']>;
  wake(woken: WaitEnd): void;
}

/** The parts of a request that are needed while the request waits for a payment. */
export interface WaitingRequest {
  readonly arrivedAt: number;
  readonly signal: AbortSignal;
  park(limitMs?: number): () => void;
  /** Closes the connection, so that the client gets no answer. */
  cut?(): void;
}

/**
 * Keeps the requests that wait for a payment. These are payment requests, repeated payment requests, status requests
 * and aborts.
 */
export class PaymentWaiters {
  #clock: Clock;
  #waiters = new Map<string, Set<Waiter>>();
  /** For each payment that is being accepted, the request that asked for the payment. */
  #arriving = new Map<string, WaitingRequest>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The payments for which requests wait. */
  get payments(): string[] {
    return [...this.#waiters.keys()];
  }

  has(paymentId: string): boolean {
    return this.#waiters.has(paymentId);
  }

  /**
   * Waits for the payment's result. If `also` is given, the wait also ends when the event that `also` names happens. If
   * `timeoutMs` is given, the wait ends after that time at the latest. During the wait the request does not count as
   * work, so virtual time can move. `limitMs` is the longest time that the wait can take.
   */
  wait(
    paymentId: string,
    call: WaitingRequest,
    options: { also?: 'cap' | 'abortAcknowledged'; timeoutMs?: number; limitMs?: number },
  ): Promise<WaitEnd> {
    if (call.signal.aborted) return Promise.resolve({ by: 'ended' });
    const resume = call.park(options.timeoutMs ?? options.limitMs);
    const waiters = this.#waiters.get(paymentId) ?? new Set<Waiter>();
    this.#waiters.set(paymentId, waiters);
    return new Promise<WaitEnd>((resolve) => {
      const wake = (woken: WaitEnd) => {
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

  /** Wakes the requests that wait for this event of the payment. */
  wake(paymentId: string, woken: WaitEnd): void {
    for (const waiter of [...(this.#waiters.get(paymentId) ?? [])]) {
      if (waiter.wakes.has(woken.by)) waiter.wake(woken);
    }
  }

  /**
   * Notes that a request is about this payment and does not wait yet. Call the returned function when the request
   * begins to wait or has ended.
   */
  arriving(paymentId: string, call: WaitingRequest): () => void {
    this.#arriving.set(paymentId, call);
    return () => void this.#arriving.delete(paymentId);
  }

  /**
   * Notes which requests are about the payment now. Returns a function that closes the connections of these requests.
   */
  cutter(paymentId: string): () => void {
    const calls = [...(this.#waiters.get(paymentId) ?? [])].map(({ call }) => call);
    const arriving = this.#arriving.get(paymentId);
    if (arriving) calls.push(arriving);
    return () => {
      for (const call of calls) call.cut?.();
    };
  }
}

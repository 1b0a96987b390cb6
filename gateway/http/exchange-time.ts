import type { IncomingMessage } from 'node:http';
import type { Done } from '../../shared/in-flight.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Doing } from '../../shared/skipping/activity.ts';

/**
 * Tells virtual time whether a request is in flight or waits for time, and what effect the request has on time that
 * moves by itself (B270).
 */
export class ExchangeTime {
  readonly #runtime: Runtime;
  readonly #request: IncomingMessage;
  #counted: Done;
  #waiting: Done | undefined;
  /** The request's effect on time, and its name for people. */
  #doing: { doing: Doing; by: string } | undefined;
  #over = false;

  constructor(request: IncomingMessage, runtime: Runtime) {
    this.#request = request;
    this.#runtime = runtime;
    this.#counted = runtime.inFlight.begin();
  }

  /** Notes that the request has arrived. A program that counts requests recognizes it by its identifier. */
  arrived(requestId: string): void {
    this.#runtime.timeWaits.activity?.arrived(requestId);
  }

  /** Notes the request's effect on time; `by` names the request for people. */
  begins(doing: Doing, by: string): void {
    const { activity } = this.#runtime.timeWaits;
    this.#doing = { doing, by };
    activity?.asked(this.#request.socket, doing);
    activity?.request(doing, by);
  }

  /** Notes that the answer is on its way, or that the connection is gone. */
  leaves(requestId: string): void {
    this.#runtime.timeWaits.activity?.leaves(requestId);
  }

  /** Notes that everything that the request causes here is under way or done. */
  done(): void {
    this.#counted();
  }

  /** Notes that the connection is finished with the request. */
  ended(): void {
    this.#over = true;
    this.#counted();
    this.#waiting?.();
    const { activity } = this.#runtime.timeWaits;
    if (!activity) return;
    activity.request(this.#doing?.doing ?? this.#refused, this.#by);
  }

  /** See {@link CheckedRequest.park}. A wait of the console or a stream does not make time go on (B270). */
  park(limitMs?: number, fails?: boolean): () => void {
    const { inFlight, timeWaits } = this.#runtime;
    const waits = limitMs !== undefined && this.#doing?.doing !== 'unseen';
    const waiting = waits ? timeWaits.wait(() => this.#by, limitMs, fails) : undefined;
    this.#waiting = waiting;
    this.#counted();
    return () => {
      if (!this.#over) this.#counted = inFlight.begin();
      waiting?.();
    };
  }

  /** The effect of a request that no endpoint handled. */
  get #refused(): Doing {
    return this.#request.method === 'GET' || this.#request.method === 'HEAD' ? 'looks' : 'acts';
  }

  /** The request's name for people, without its path if no endpoint handled it: the path may contain a secret. */
  get #by(): string {
    return this.#doing?.by ?? `a refused ${this.#request.method}`;
  }
}

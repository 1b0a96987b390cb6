import type { IncomingMessage } from 'node:http';
import type { EndInFlight } from '../../shared/in-flight.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { RequestTimeEffect } from '../../shared/skipping/activity.ts';

/**
 * Tells virtual time whether the gateway works on a request, or whether the request waits until some time has passed.
 * Also tells how the request affects virtual time that moves by itself (B270).
 */
export class VirtualTimeReporter {
  readonly #runtime: Runtime;
  readonly #request: IncomingMessage;
  #counted: EndInFlight;
  #waiting: EndInFlight | undefined;
  /** The request's effect on virtual time, and a readable name of the request. */
  #doing: { doing: RequestTimeEffect; by: string } | undefined;
  #over = false;

  constructor(request: IncomingMessage, runtime: Runtime) {
    this.#request = request;
    this.#runtime = runtime;
    this.#counted = runtime.inFlight.begin();
  }

  /**
   * Notes that the request has arrived. A program that counts its own requests recognises this request by `requestId`.
   */
  arrived(requestId: string): void {
    this.#runtime.timeWaits.activity?.arrived(requestId);
  }

  /** Notes the request's effect on virtual time. `by` is a readable name of the request. */
  begins(doing: RequestTimeEffect, by: string): void {
    const { activity } = this.#runtime.timeWaits;
    this.#doing = { doing, by };
    activity?.asked(this.#request.socket, doing);
    activity?.request(doing, by);
  }

  /** Notes that the answer is being sent, or that the connection has ended. */
  leaves(requestId: string): void {
    this.#runtime.timeWaits.activity?.leaves(requestId);
  }

  /** Notes that all effects of the request in this gateway are finished or under way. */
  done(): void {
    this.#counted();
  }

  /** Notes that the connection carries nothing more for this request. */
  ended(): void {
    this.#over = true;
    this.#counted();
    this.#waiting?.();
    const { activity } = this.#runtime.timeWaits;
    if (!activity) return;
    activity.request(this.#doing?.doing ?? this.#refused, this.#by);
  }

  /**
   * Notes a wait of the kind that {@link CheckedRequest.park} describes. Waits of the console and of streams do not
   * make virtual time move (B270).
   */
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

  /** Gives a request's effect on virtual time if no endpoint handled the request. */
  get #refused(): RequestTimeEffect {
    return this.#request.method === 'GET' || this.#request.method === 'HEAD' ? 'looks' : 'acts';
  }

  /**
   * A readable name of the request. If no endpoint handled the request, the name does not contain the path, because the
   * path may contain a secret.
   */
  get #by(): string {
    return this.#doing?.by ?? `a refused ${this.#request.method}`;
  }
}

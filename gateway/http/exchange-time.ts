import type { IncomingMessage } from 'node:http';
import type { Done } from '../../shared/in-flight.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Doing } from '../../shared/skipping/activity.ts';

/** What a request is to virtual time: in flight, or waiting for it; and what it means for time that moves by itself (B270). */
export class ExchangeTime {
  readonly #runtime: Runtime;
  readonly #request: IncomingMessage;
  #counted: Done;
  #waiting: Done | undefined;
  /** What it does, and how people call it. */
  #doing: { doing: Doing; by: string } | undefined;
  #over = false;

  constructor(request: IncomingMessage, runtime: Runtime) {
    this.#request = request;
    this.#runtime = runtime;
    this.#counted = runtime.inFlight.begin();
  }

  /** The gateway knows by its identifier that it is here. */
  arrived(requestId: string): void {
    this.#runtime.timeWaits.activity?.arrived(requestId);
  }

  /** It is known what it does; `by` names it for people. */
  begins(doing: Doing, by: string): void {
    const { activity } = this.#runtime.timeWaits;
    this.#doing = { doing, by };
    activity?.asked(this.#request.socket, doing);
    activity?.request(doing, by);
  }

  /** Its answer is on its way, or its connection is gone. */
  leaves(requestId: string): void {
    this.#runtime.timeWaits.activity?.leaves(requestId);
  }

  /** What it causes here is under way or done. */
  done(): void {
    this.#counted();
  }

  /** Its connection is done with it. */
  ended(): void {
    this.#over = true;
    this.#counted();
    this.#waiting?.();
    const { activity } = this.#runtime.timeWaits;
    if (!activity) return;
    activity.request(this.#doing?.doing ?? this.#refused, this.#by);
  }

  /** See {@link CheckedRequest.park}. The console and streams wait, and no time goes on for them (B270). */
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

  /** What no endpoint took. */
  get #refused(): Doing {
    return this.#request.method === 'GET' || this.#request.method === 'HEAD' ? 'looks' : 'acts';
  }

  /** Of what no endpoint took, the path may hold a secret. */
  get #by(): string {
    return this.#doing?.by ?? `a refused ${this.#request.method}`;
  }
}

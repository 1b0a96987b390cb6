import type { Runtime } from '../../shared/runtime.ts';
import { closeCodes, type Link } from '../../shared/transport/link.ts';

/** The most connections of a terminal that wait at a time: each may hold messages back. */
const mostWaiting = 8;

/** Lets a connection that may displace another wait until its own socket has answered a ping (B189). */
export class Entrance {
  readonly #runtime: Pick<Runtime, 'timeouts'>;
  readonly #waiting = new Map<string, number>();

  constructor(runtime: Pick<Runtime, 'timeouts'>) {
    this.#runtime = runtime;
  }

  /** Runs `enter` once the other end has answered. If it does not answer, it is cut off and never enters. */
  wait(link: Link, terminalId: string, enter: () => void): void {
    const waiting = (this.#waiting.get(terminalId) ?? 0) + 1;
    if (waiting > mostWaiting)
      return link.close(closeCodes.tooMuch, 'too many connections of this terminal at a time');
    this.#waiting.set(terminalId, waiting);
    link.proveAlive(this.#runtime.timeouts.heartbeatMs, (alive) => {
      this.#waits(terminalId, (this.#waiting.get(terminalId) ?? 1) - 1);
      if (alive) enter();
    });
  }

  #waits(terminalId: string, waiting: number): void {
    if (waiting > 0) this.#waiting.set(terminalId, waiting);
    else this.#waiting.delete(terminalId);
  }
}

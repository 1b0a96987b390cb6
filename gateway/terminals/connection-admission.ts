import type { Runtime } from '../../shared/runtime.ts';
import { closeCodes, type Link } from '../../shared/transport/link.ts';

/**
 * The maximum number of a terminal's connections that wait at the same time. Each waiting connection may keep messages
 * in memory.
 */
const mostWaiting = 8;

/**
 * Makes a terminal's new connection wait until the terminal has answered a ping on this connection. When the new
 * connection is let in, the terminal's former connection is closed (B189). So a connection that does not work must not
 * be let in.
 */
export class ConnectionLivenessCheck {
  readonly #runtime: Pick<Runtime, 'timeouts'>;
  readonly #waiting = new Map<string, number>();

  constructor(runtime: Pick<Runtime, 'timeouts'>) {
    this.#runtime = runtime;
  }

  /**
   * Runs `enter` when the terminal has answered the ping. If the terminal does not answer the ping, the connection is
   * closed and `enter` is never called.
   */
  wait(link: Link, terminalId: string, enter: () => void): void {
    const waiting = (this.#waiting.get(terminalId) ?? 0) + 1;
    if (waiting > mostWaiting)
      return link.close(closeCodes.tooMuch, 'this terminal has too many connections at the same time');
    this.#waiting.set(terminalId, waiting);
    link.proveAlive(this.#runtime.timeouts.heartbeatMs, (alive) => {
      this.#setWaiting(terminalId, (this.#waiting.get(terminalId) ?? 1) - 1);
      if (alive) enter();
    });
  }

  #setWaiting(terminalId: string, waiting: number): void {
    if (waiting > 0) this.#waiting.set(terminalId, waiting);
    else this.#waiting.delete(terminalId);
  }
}

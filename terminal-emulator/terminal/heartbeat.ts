import type { TimerHandle } from '../../shared/clock.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { EmulatedTerminal } from './terminal.ts';

/**
 * Pings the gateway on the link of every terminal. So a terminal that is idle notices that the gateway has died
 * without closing the link. The gateway also pings the terminals, twice as often. In virtual time, only the gateway
 * pings. There, no link dies unnoticed, so terminals need not ping. Pings for the many days that may pass in a second
 * would only take time.
 */
export class Heartbeat {
  #runtime: Pick<Runtime, 'clock' | 'timeouts'>;
  #terminals: ReadonlyMap<string, EmulatedTerminal>;
  #next: TimerHandle | undefined;

  constructor(
    runtime: Pick<Runtime, 'clock' | 'timeouts'>,
    terminals: ReadonlyMap<string, EmulatedTerminal>,
  ) {
    this.#runtime = runtime;
    this.#terminals = terminals;
    if (!runtime.clock.virtual) this.#arm();
  }

  close(): void {
    this.#runtime.clock.clearTimeout(this.#next);
  }

  #arm(): void {
    const { clock, timeouts } = this.#runtime;
    this.#next = clock.setTimeout(() => {
      for (const terminal of this.#terminals.values()) terminal.ping();
      this.#arm();
    }, 2 * timeouts.heartbeatMs);
  }
}

import type { TimerHandle } from '../../shared/clock.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { EmulatedTerminal } from './terminal.ts';

/**
 * Pings the gateway on the link of every terminal. So a terminal that is idle notices that the gateway has died without
 * closing the link. The gateway also pings the terminals, twice as often. In virtual time, only the gateway pings. The
 * terminals need not ping, because no link dies unnoticed in virtual time. Many days of virtual time can pass in a
 * second, and pings for all these days would only slow the program down.
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

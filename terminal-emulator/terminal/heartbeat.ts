import type { TimerHandle } from '../../shared/clock.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { EmulatedTerminal } from './terminal.ts';

/**
 * Pings the gateway on every terminal's link. So an idle terminal notices that a gateway has died without closing the
 * link. The gateway pings the terminals, too, twice as often. In virtual time no link dies unnoticed, and many days may
 * pass in a second, so there only the gateway pings.
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

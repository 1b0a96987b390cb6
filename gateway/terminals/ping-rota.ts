import type { TimerHandle } from '../../shared/clock.ts';
import type { Runtime } from '../../shared/runtime.ts';
import type { Link } from '../../shared/transport/link.ts';

/** The terminals are pinged in this many groups. To ping ten thousand terminals at once would delay every payment. */
const pingSlices = 16;

interface Pingable {
  readonly terminal: { readonly id: string };
  readonly link: Pick<Link, 'ping'>;
}

/**
 * Pings the connected terminals at intervals. In virtual time only terminals with a payment are pinged, so that days
 * without a payment pass at once.
 */
export class PingRota {
  readonly #runtime: Runtime;
  readonly #connections: ReadonlyMap<string, Pingable>;
  readonly #payingTerminals = new Set<string>();
  #timer: TimerHandle | undefined;
  /** The connections that this round has not pinged yet. */
  #unpinged: Pingable[] = [];
  #pingsAtOnce = 1;
  #slice = 0;
  #stopped = false;

  constructor(runtime: Runtime, connections: ReadonlyMap<string, Pingable>) {
    this.#runtime = runtime;
    this.#connections = connections;
  }

  /** Notes whether a terminal has a payment. */
  watch(terminalId: string, paying: boolean): void {
    if (paying) this.#payingTerminals.add(terminalId);
    else this.#payingTerminals.delete(terminalId);
    this.plan();
  }

  /** Plans the next pings if there are terminals to ping. Call this when a terminal has connected. */
  plan(): void {
    const { clock, timeouts } = this.#runtime;
    const isNeeded = clock.virtual ? this.#payingTerminals.size > 0 : this.#connections.size > 0;
    if (!isNeeded || this.#stopped) {
      clock.clearTimeout(this.#timer);
      this.#timer = undefined;
    } else if (this.#timer === undefined) {
      const slices = clock.virtual ? 1 : pingSlices;
      this.#timer = clock.setTimeout(() => this.#pingSome(slices), timeouts.heartbeatMs / slices);
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#runtime.clock.clearTimeout(this.#timer);
  }

  #pingSome(slices: number): void {
    this.#timer = undefined;
    if (this.#slice === 0) {
      this.#unpinged = [...this.#connections.values()];
      this.#pingsAtOnce = Math.max(1, Math.ceil(this.#unpinged.length / slices));
    }
    this.#slice = (this.#slice + 1) % slices;
    for (const { link, terminal } of this.#unpinged.splice(-this.#pingsAtOnce)) {
      if (!this.#runtime.clock.virtual || this.#payingTerminals.has(terminal.id)) link.ping();
    }
    this.plan();
  }
}

/**
 * Lets at most `atOnce` terminals of a process open a connection at the same time. If ten thousand terminals connected
 * at once, the gateway's queue for new connections would be full. The remaining terminals would then wait for seconds
 * before their next try.
 */
export class DialQueue {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(atOnce = 64) {
    this.#free = atOnce;
  }

  /** Runs `work` as soon as fewer than `atOnce` connections are being opened, unless `signal` aborts before that. */
  async run(work: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      if (!signal.aborted) await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

import type { Clock } from '../../shared/clock.ts';
import type { Duty, SharedWork } from '../engine/duties.ts';
import type { RowChange } from '../store/schema.ts';

interface LeaseParts {
  name: string;
  lastsMs: number;
  clock: Clock;
  work: SharedWork;
  failed: (error: unknown) => void;
  worked: () => void;
  publish: () => void;
}

/**
 * This gateway's right to do one kind of work for all gateways of the database. The right lasts for `lastsMs`. This
 * gateway counts from the moment just before it asked the database for the right. The database counts from a later
 * moment, so this gateway stops before another one can start.
 */
export class Lease implements Duty {
  readonly name: string;
  readonly lastsMs: number;
  readonly #parts: LeaseParts;
  #token: number | undefined;
  /** The time at which the lease ends, in milliseconds of the monotonic clock. */
  #until = Number.NEGATIVE_INFINITY;
  #sweeping: Promise<void> | undefined;
  #again = false;

  constructor(parts: LeaseParts) {
    this.name = parts.name;
    this.lastsMs = parts.lastsMs;
    this.#parts = parts;
  }

  /** The number of milliseconds until the lease ends; 0 if another gateway may already have the lease. */
  get leftMs(): number {
    return this.#token === undefined ? 0 : Math.max(0, this.#until - this.#parts.clock.monotonic());
  }

  /**
   * The number of this gateway's lease. It changes if another gateway has had the lease in the meantime. It is
   * undefined if this gateway does not have the lease.
   */
  get token(): number | undefined {
    return this.leftMs > 0 ? this.#token : undefined;
  }

  /**
   * Returns a change to add to a batch of writes. With this change in the batch, the database refuses the batch if
   * another gateway has the lease.
   */
  held(): RowChange {
    return { hold: 'leases', where: { name: this.name, token: this.#token ?? -1 } };
  }

  /**
   * Notes that the database gave this gateway the lease. `askedAt` is the time of the request, on the monotonic clock.
   * A new value of `token` means that another gateway has had the lease in the meantime.
   */
  granted(token: number, askedAt: number): void {
    if (this.#token !== undefined && token !== this.#token) this.lose();
    this.#token = token;
    this.#until = askedAt + this.lastsMs;
  }

  /** Notes that another gateway has the lease (the right to do the work). */
  denied(): void {
    if (this.#token !== undefined) this.lose();
  }

  /** Notes that the database did not answer. The lease is valid until its time is over. */
  unanswered(): void {
    if (this.#token !== undefined && this.leftMs === 0) this.lose();
  }

  lose(): void {
    this.#token = undefined;
    this.#parts.work.forget();
  }

  /** Makes the gateway that has the lease look for work at once, because new work was stored. */
  tell(): void {
    if (this.token === undefined) this.#parts.publish();
    else void this.sweep();
  }

  /** Resolves when the present search for work has ended; undefined if this gateway is not searching. */
  get swept(): Promise<void> | undefined {
    return this.#sweeping;
  }

  /** Gives up the lease. If this gateway is searching for work, resolves when the search has ended. */
  async end(): Promise<void> {
    this.lose();
    await this.#sweeping;
  }

  /** Searches for work now. If this gateway is already searching, it searches again afterwards. */
  sweep(): Promise<void> {
    if (this.#sweeping) {
      this.#again = true;
      return this.#sweeping;
    }
    if (this.token === undefined) return Promise.resolve();
    this.#sweeping = this.#sweep();
    return this.#sweeping;
  }

  /**
   * Clears `#sweeping` in the same step in which it sees that no further search was requested. If it cleared the field
   * later, a request in between would be lost.
   */
  async #sweep(): Promise<void> {
    do {
      this.#again = false;
      try {
        await this.#parts.work.sweep();
        this.#parts.worked();
      } catch (error) {
        this.#parts.failed(error);
      }
    } while (this.#again && this.token !== undefined);
    this.#sweeping = undefined;
  }
}

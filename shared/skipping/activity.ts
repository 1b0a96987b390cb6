import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';

/**
 * How a request affects time that moves by itself. `acts`: the request may change something. `reads`: a point of sale
 * only reads. `looks`: a client of the control API only reads. `unseen`: the request is no reason to wait, like
 * `/health`, streams and the console.
 */
export type RequestActivity = 'acts' | 'reads' | 'looks' | 'unseen';

/**
 * Learns of requests on the wire: when one arrives, and when its answer is on the way to the client or its connection
 * is gone.
 */
interface WireListener {
  arrived(requestId: string): void;
  leaves(requestId: string): void;
}

/**
 * How long requests of the control API that only read can keep time stopped after something last changed, in real
 * milliseconds.
 */
const longestLookMs = 1_000;

/**
 * Remembers when something that may have consequences last began or ended, in real time. Time that moves by itself
 * moves only after nothing has happened for a while ({@link lastMs}). Every change counts, and every request of a point
 * of sale. Requests of the control API that only read count too, but only for a second after a change.
 */
export class Activity {
  readonly #realClock: Clock;
  /** The moment of the latest change or of the latest reading that counts. */
  #lastMs: number;
  #changedMs: number;
  /** The moment when a program without a request was last seen acting. */
  #programSeenMs = Number.NEGATIVE_INFINITY;
  #reader: string | undefined;
  #outside = 0;
  /** Connections without a request so far, each with the moment when it was opened. */
  readonly #withoutRequest = new Map<object, number>();
  /** Connections whose latest request acted. */
  readonly #acted = new WeakSet<object>();
  readonly #wireListeners = new Set<WireListener>();
  readonly #listeners = new Set<() => void>();

  constructor(realClock: Clock, journal: Journal) {
    this.#realClock = realClock;
    this.#lastMs = realClock.monotonic();
    this.#changedMs = this.#lastMs;
    // Entries about requests are left out, because each request reports by itself whether it acts or only reads.
    journal.listen(({ kind }) => !kind.startsWith('http.') && this.changed());
  }

  /** The moment when something last began or ended, in milliseconds of the real monotonic clock. */
  get lastMs(): number {
    let latest = Math.max(this.#lastMs, this.#programSeenMs);
    for (const at of this.#withoutRequest.values()) latest = Math.max(latest, at);
    return latest;
  }

  /** The moment when something other than reading last began or ended. */
  get changedMs(): number {
    return this.#changedMs;
  }

  /**
   * The latest request with which a point of sale only read, if one came since something changed. Such requests keep
   * time stopped.
   */
  get reader(): string | undefined {
    return this.#reader;
  }

  /** The request that has kept time stopped for a second by reading, and still does. */
  get keptBy(): string | undefined {
    const now = this.#realClock.monotonic();
    const isKept = now - this.#changedMs >= longestLookMs && now - this.#lastMs < longestLookMs;
    return isKept ? this.#reader : undefined;
  }

  /** How often a point of sale, or another client that acts on the gateway, began or ended something. */
  get outside(): number {
    return this.#outside;
  }

  /** Notes that a request began or ended. */
  request(doing: RequestActivity, by: string): void {
    if (doing === 'unseen') return;
    if (doing !== 'looks') this.#outside++;
    if (doing === 'acts') return this.changed();
    const now = this.#realClock.monotonic();
    if (doing === 'reads') this.#reader = by;
    if (doing === 'reads' || now - this.#changedMs < longestLookMs) this.#lastMs = now;
    this.#callListeners();
  }

  /** Notes that something changed, or may have. */
  changed(): void {
    this.#lastMs = this.#realClock.monotonic();
    this.#changedMs = this.#lastMs;
    this.#reader = undefined;
    this.#callListeners();
  }

  /** Notes that a program outside the gateway was seen acting, although no request shows that yet. */
  seen(): void {
    this.#programSeenMs = this.#realClock.monotonic();
  }

  /** Notes a new connection; its requests will show its purpose. */
  connected(connection: object): void {
    this.#withoutRequest.set(connection, this.#realClock.monotonic());
    this.#callListeners();
  }

  /** Notes that a request came over a connection. */
  asked(connection: object, doing: RequestActivity): void {
    this.#withoutRequest.delete(connection);
    if (doing === 'acts') this.#acted.add(connection);
    else this.#acted.delete(connection);
  }

  /**
   * Notes that a connection was closed. This counts as an event if the connection's last request acted, or if no
   * request came over it.
   */
  disconnected(connection: object): void {
    if (this.#withoutRequest.delete(connection) || this.#acted.has(connection)) this.changed();
  }

  onWire(listener: WireListener): void {
    this.#wireListeners.add(listener);
  }

  arrived(requestId: string): void {
    for (const listener of this.#wireListeners) listener.arrived(requestId);
  }

  leaves(requestId: string): void {
    for (const listener of this.#wireListeners) listener.leaves(requestId);
  }

  /** Calls `listener` whenever something begins or ends; returns a function that stops it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #callListeners(): void {
    for (const listener of this.#listeners) listener();
  }
}

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

/** Remembers when something that may have consequences last began or ended, in real time. */
export class Activity {
  readonly #realClock: Clock;
  #lastMs: number;
  #changedMs: number;
  #seenMs = Number.NEGATIVE_INFINITY;
  #reader: string | undefined;
  #outside = 0;
  /** Connections without a request so far, each with the moment when it was opened. */
  readonly #fresh = new Map<object, number>();
  readonly #acting = new WeakSet<object>();
  readonly #onWire = new Set<WireListener>();
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
    let latest = Math.max(this.#lastMs, this.#seenMs);
    for (const at of this.#fresh.values()) latest = Math.max(latest, at);
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
    this.#tell();
  }

  /** Notes that something changed, or may have. */
  changed(): void {
    this.#lastMs = this.#realClock.monotonic();
    this.#changedMs = this.#lastMs;
    this.#reader = undefined;
    this.#tell();
  }

  /** Notes that a program outside the gateway was seen acting, although no request shows that yet. */
  seen(): void {
    this.#seenMs = this.#realClock.monotonic();
  }

  /** Notes a new connection; its requests will show its purpose. */
  connected(connection: object): void {
    this.#fresh.set(connection, this.#realClock.monotonic());
    this.#tell();
  }

  /** Notes that a request came over a connection. */
  asked(connection: object, doing: RequestActivity): void {
    this.#fresh.delete(connection);
    if (doing === 'acts') this.#acting.add(connection);
    else this.#acting.delete(connection);
  }

  /**
   * Notes that a connection was closed. This counts as an event if the connection's last request acted, or if no
   * request came over it.
   */
  disconnected(connection: object): void {
    if (this.#fresh.delete(connection) || this.#acting.has(connection)) this.changed();
  }

  onWire(listener: WireListener): void {
    this.#onWire.add(listener);
  }

  arrived(requestId: string): void {
    for (const listener of this.#onWire) listener.arrived(requestId);
  }

  leaves(requestId: string): void {
    for (const listener of this.#onWire) listener.leaves(requestId);
  }

  /** Calls `listener` whenever something begins or ends; returns a function that stops it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';

/**
 * The kinds of requests. They differ in their effect on virtual time that moves by itself. `acts`: the request may
 * change something. `reads`: a read-only request of a point of sale. `looks`: a read-only request of the control API.
 * `unseen`: a request for which time need not wait, for example a request for `/health`, a stream or the console.
 */
export type RequestTimeEffect = 'acts' | 'reads' | 'looks' | 'unseen';

/**
 * Functions that are called for each request on the wire: `arrived` when the request arrives, and `leaves` when its
 * answer is sent or its connection is gone.
 */
interface WireListener {
  arrived(requestId: string): void;
  leaves(requestId: string): void;
}

/**
 * For this many real milliseconds after the last change, read-only requests of the control API can keep time stopped.
 */
const longestLookMs = 1_000;

/**
 * Remembers the latest moment, in real time, when something that may have consequences began or ended. Virtual time
 * moves by itself only if nothing has happened for a while ({@link lastMs}). Every change counts, and every request of
 * a point of sale. A read-only request of the control API counts only within a second after a change.
 */
export class ActivityTracker {
  readonly #realClock: Clock;
  /**
   * The moment of the latest event that counts: a change, a request of a point of sale, or a request of the control API
   * shortly after a change.
   */
  #lastMs: number;
  #changedMs: number;
  /** A program may act before it sends any request. This is the moment when such a program was last seen acting. */
  #programSeenMs = Number.NEGATIVE_INFINITY;
  #reader: string | undefined;
  #outside = 0;
  /** The connections over which no request has come yet, each with the moment when it was opened. */
  readonly #withoutRequest = new Map<object, number>();
  /** The connections whose latest request may have changed something (`acts`). */
  readonly #acted = new WeakSet<object>();
  readonly #wireListeners = new Set<WireListener>();
  readonly #listeners = new Set<() => void>();

  constructor(realClock: Clock, journal: Journal) {
    this.#realClock = realClock;
    this.#lastMs = realClock.monotonic();
    this.#changedMs = this.#lastMs;
    // Entries about requests do not count as changes here, because {@link request} is called for each request.
    journal.listen(({ kind }) => !kind.startsWith('http.') && this.changed());
  }

  /** The moment when something last began or ended, in milliseconds of the real monotonic clock. */
  get lastMs(): number {
    let latest = Math.max(this.#lastMs, this.#programSeenMs);
    for (const at of this.#withoutRequest.values()) latest = Math.max(latest, at);
    return latest;
  }

  /** The moment when something last began or ended. Requests that only read are left out. */
  get changedMs(): number {
    return this.#changedMs;
  }

  /**
   * The latest read-only request of a point of sale. Undefined if no such request came since the last change. Such
   * requests keep time stopped.
   */
  get reader(): string | undefined {
    return this.#reader;
  }

  /** The request of a point of sale that keeps time stopped, although nothing has changed for a second. */
  get keptBy(): string | undefined {
    const now = this.#realClock.monotonic();
    const isKept = now - this.#changedMs >= longestLookMs && now - this.#lastMs < longestLookMs;
    return isKept ? this.#reader : undefined;
  }

  /**
   * The number of times that a request began or ended. This number includes all requests of a point of sale, and all
   * other requests that may change something.
   */
  get outside(): number {
    return this.#outside;
  }

  /** Notes that a request began or ended. */
  request(doing: RequestTimeEffect, by: string): void {
    if (doing === 'unseen') return;
    if (doing !== 'looks') this.#outside++;
    if (doing === 'acts') return this.changed();
    const now = this.#realClock.monotonic();
    if (doing === 'reads') this.#reader = by;
    if (doing === 'reads' || now - this.#changedMs < longestLookMs) this.#lastMs = now;
    this.#callListeners();
  }

  /** Notes that something changed, or may have changed. */
  changed(): void {
    this.#lastMs = this.#realClock.monotonic();
    this.#changedMs = this.#lastMs;
    this.#reader = undefined;
    this.#callListeners();
  }

  /** Notes that a program outside the gateway is acting, although no request of that program has come yet. */
  seen(): void {
    this.#programSeenMs = this.#realClock.monotonic();
  }

  /** Notes a new connection. As long as no request has come over the connection, its purpose is unknown. */
  connected(connection: object): void {
    this.#withoutRequest.set(connection, this.#realClock.monotonic());
    this.#callListeners();
  }

  /** Notes that a request came over a connection. */
  asked(connection: object, doing: RequestTimeEffect): void {
    this.#withoutRequest.delete(connection);
    if (doing === 'acts') this.#acted.add(connection);
    else this.#acted.delete(connection);
  }

  /**
   * Notes that a connection was closed. The end of a connection counts as a change if the connection's last request may
   * have changed something, or if no request came over the connection.
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

  /** Calls `listener` whenever something begins or ends. Returns a function that removes `listener`. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #callListeners(): void {
    for (const listener of this.#listeners) listener();
  }
}

import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';

/**
 * What a request means for time that moves by itself: it `acts`, it only reads as a point of sale (`reads`) or at the control
 * API (`looks`), or it is no reason to wait at all (`unseen`), as `/health`, streams and the console.
 */
export type Doing = 'acts' | 'reads' | 'looks' | 'unseen';

/** Told of the requests that arrive, and of those whose answer is under way to who sent them, or whose connection is gone. */
interface WireListener {
  arrived(requestId: string): void;
  leaves(requestId: string): void;
}

/** Looking keeps time standing so long at most since something last changed. */
const longestLookMs = 1_000;

/** When something last began or ended that may have consequences, in real time. */
export class Activity {
  readonly #realClock: Clock;
  #lastMs: number;
  #changedMs: number;
  #seenMs = Number.NEGATIVE_INFINITY;
  #reader: string | undefined;
  #outside = 0;
  /** Connections on which nothing was asked yet, and since when. */
  readonly #fresh = new Map<object, number>();
  readonly #acting = new WeakSet<object>();
  readonly #onWire = new Set<WireListener>();
  readonly #listeners = new Set<() => void>();

  constructor(realClock: Clock, journal: Journal) {
    this.#realClock = realClock;
    this.#lastMs = realClock.monotonic();
    this.#changedMs = this.#lastMs;
    // Requests tell of themselves what they do.
    journal.listen(({ kind }) => !kind.startsWith('http.') && this.changed());
  }

  /** When something last began or ended. */
  get lastMs(): number {
    let latest = Math.max(this.#lastMs, this.#seenMs);
    for (const at of this.#fresh.values()) latest = Math.max(latest, at);
    return latest;
  }

  /** When that was something else than reading. */
  get changedMs(): number {
    return this.#changedMs;
  }

  /** The point of sale's request that was read last, if one was since something changed: reading keeps time standing. */
  get reader(): string | undefined {
    return this.#reader;
  }

  /** The request whose reading has kept time standing for a second, and does so now. */
  get keptBy(): string | undefined {
    const now = this.#realClock.monotonic();
    const isKept = now - this.#changedMs >= longestLookMs && now - this.#lastMs < longestLookMs;
    return isKept ? this.#reader : undefined;
  }

  /** How often a point of sale, or who acts on the gateway, began or ended something. */
  get outside(): number {
    return this.#outside;
  }

  /** A request began or ended. */
  request(doing: Doing, by: string): void {
    if (doing === 'unseen') return;
    if (doing !== 'looks') this.#outside++;
    if (doing === 'acts') return this.changed();
    const now = this.#realClock.monotonic();
    if (doing === 'reads') this.#reader = by;
    if (doing === 'reads' || now - this.#changedMs < longestLookMs) this.#lastMs = now;
    this.#tell();
  }

  /** Something changed, or may have. */
  changed(): void {
    this.#lastMs = this.#realClock.monotonic();
    this.#changedMs = this.#lastMs;
    this.#reader = undefined;
    this.#tell();
  }

  /** Somebody was seen to act, though no request tells of it yet. */
  seen(): void {
    this.#seenMs = this.#realClock.monotonic();
  }

  /** A connection was opened: its requests say what it is for. */
  connected(connection: object): void {
    this.#fresh.set(connection, this.#realClock.monotonic());
    this.#tell();
  }

  /** A request came over a connection. */
  asked(connection: object, doing: Doing): void {
    this.#fresh.delete(connection);
    if (doing === 'acts') this.#acting.add(connection);
    else this.#acting.delete(connection);
  }

  /** It was closed, which counts where it acted last, or never said anything. */
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

  /** Calls `listener` whenever something begins or ends; returns how to stop. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

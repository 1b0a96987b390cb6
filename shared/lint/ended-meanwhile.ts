import type { PosRequest } from '../requests/pos-request.ts';
import { endOf } from './rule.ts';

/**
 * Remembers payments that ended while other payments were open whose sale's name is not known yet, because reading
 * every body for the name would cost too much. When such a name becomes known, this class finds the payments of that
 * name that were open at the same time.
 */
export class EndedMeanwhile {
  readonly #most: number;
  /** Open payments whose sale's name is not known, in the order in which they came. */
  readonly #nameless = new Set<PosRequest>();
  /** Ended payments with the names of their sales, in the order in which they ended. */
  readonly #ended = new Map<PosRequest, string>();
  readonly #byName = new Map<string, Set<PosRequest>>();

  /** @param most the maximum number of payments that are remembered, which are the latest */
  constructor(most: number) {
    this.#most = most;
  }

  begin(request: PosRequest): void {
    this.#nameless.add(request);
    if (this.#nameless.size > this.#most) this.#forget(firstOf(this.#nameless));
  }

  /** Notes that a payment ended. Its sale's name is computed only if an open payment may match it. */
  end(request: PosRequest, name: () => string | undefined): void {
    if (this.#nameless.size === 0) return;
    const known = name();
    if (known === undefined) return;
    this.#ended.set(request, known);
    const others = this.#byName.get(known);
    if (others) others.add(request);
    else this.#byName.set(known, new Set([request]));
    if (this.#ended.size > this.#most) this.#leave(firstOf(this.#ended.keys()));
  }

  /**
   * Call this when the name of the payment's sale is known, or when it will not be looked up. Returns the payments of
   * that name that ended while this payment was open.
   */
  named(request: PosRequest, name: () => string | undefined): readonly PosRequest[] {
    if (!this.#nameless.has(request)) return [];
    const known = this.#ended.size === 0 ? undefined : name();
    const found = [...(this.#byName.get(known ?? '') ?? [])].filter((other) => isMet(other, request));
    this.#forget(request);
    return found;
  }

  #forget(request: PosRequest | undefined): void {
    if (request === undefined) return;
    this.#nameless.delete(request);
    const oldest = firstOf(this.#nameless);
    for (const ended of this.#ended.keys()) {
      if (oldest && isMet(ended, oldest)) return;
      this.#leave(ended);
    }
  }

  #leave(ended: PosRequest | undefined): void {
    const name = ended && this.#ended.get(ended);
    if (ended === undefined || name === undefined) return;
    this.#ended.delete(ended);
    const others = this.#byName.get(name);
    others?.delete(ended);
    if (others?.size === 0) this.#byName.delete(name);
  }

  /** Forgets the older ones of the nameless payments that came no later than the entry with number `upTo`. */
  keepFew(upTo: number, most: number): void {
    const old = [...this.#nameless].filter(({ received }) => received.seq <= upTo);
    for (const request of old.slice(0, -most)) this.#forget(request);
  }
}

function isMet(ended: PosRequest, request: PosRequest): boolean {
  return (endOf(ended)?.seq ?? 0) > request.received.seq;
}

function firstOf(requests: Iterable<PosRequest>): PosRequest | undefined {
  for (const request of requests) return request;
  return undefined;
}

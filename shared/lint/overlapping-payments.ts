import type { PosRequest } from '../requests/pos-request.ts';
import { endEntryOf } from './rule.ts';

/**
 * Finds payments of one sale that were open at the same time. The name of a payment's sale may become known late,
 * because the name is in the body of the request, and reading every body would cost too much. So this class remembers
 * the payments that end while a payment without a known name is open. When that name becomes known, this class finds
 * the remembered payments with the same name.
 */
export class OverlappingPaymentFinder {
  readonly #most: number;
  /** The open payments whose sale has no known name yet, in the order in which they came. */
  readonly #nameless = new Set<PosRequest>();
  /** Ended payments with the names of their sales, in the order in which they ended. */
  readonly #ended = new Map<PosRequest, string>();
  readonly #byName = new Map<string, Set<PosRequest>>();

  /** @param most the maximum number of payments that are remembered; earlier payments are forgotten */
  constructor(most: number) {
    this.#most = most;
  }

  begin(request: PosRequest): void {
    this.#nameless.add(request);
    if (this.#nameless.size > this.#most) this.#forgetNameless(firstOf(this.#nameless));
  }

  /** Notes that a payment ended. The name of its sale is computed only if a payment without a known name is open. */
  end(request: PosRequest, name: () => string | undefined): void {
    if (this.#nameless.size === 0) return;
    const known = name();
    if (known === undefined) return;
    this.#ended.set(request, known);
    const others = this.#byName.get(known);
    if (others) others.add(request);
    else this.#byName.set(known, new Set([request]));
    if (this.#ended.size > this.#most) this.#forgetEnded(firstOf(this.#ended.keys()));
  }

  /**
   * Call this when the name of the payment's sale is known, or when the name will not be looked up. Returns the
   * payments of the same sale that ended while this payment was open.
   */
  named(request: PosRequest, name: () => string | undefined): readonly PosRequest[] {
    if (!this.#nameless.has(request)) return [];
    const known = this.#ended.size === 0 ? undefined : name();
    const found = [...(this.#byName.get(known ?? '') ?? [])].filter((other) => overlaps(other, request));
    this.#forgetNameless(request);
    return found;
  }

  #forgetNameless(request: PosRequest | undefined): void {
    if (request === undefined) return;
    this.#nameless.delete(request);
    const oldest = firstOf(this.#nameless);
    for (const ended of this.#ended.keys()) {
      if (oldest && overlaps(ended, oldest)) return;
      this.#forgetEnded(ended);
    }
  }

  #forgetEnded(ended: PosRequest | undefined): void {
    const name = ended && this.#ended.get(ended);
    if (ended === undefined || name === undefined) return;
    this.#ended.delete(ended);
    const others = this.#byName.get(name);
    others?.delete(ended);
    if (others?.size === 0) this.#byName.delete(name);
  }

  /**
   * Forgets open payments without a known name that came no later than the entry with the number `upTo`. Keeps the
   * latest `most` of them.
   */
  forgetAllBut(upTo: number, most: number): void {
    const old = [...this.#nameless].filter(({ received }) => received.seq <= upTo);
    for (const request of old.slice(0, -most)) this.#forgetNameless(request);
  }
}

function overlaps(ended: PosRequest, request: PosRequest): boolean {
  return (endEntryOf(ended)?.seq ?? 0) > request.received.seq;
}

function firstOf(requests: Iterable<PosRequest>): PosRequest | undefined {
  for (const request of requests) return request;
  return undefined;
}

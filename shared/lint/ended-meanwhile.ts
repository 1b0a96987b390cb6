import type { PosRequest } from '../requests/pos-request.ts';
import { endOf } from './rule.ts';

/**
 * Payments that ended while others were on their way of which it is not known yet what they call their sale: to read every body
 * would cost too much. Once that is known, of those others those are found that were open at the same time.
 */
export class EndedMeanwhile {
  readonly #most: number;
  /** In the order they came. */
  readonly #nameless = new Set<PosRequest>();
  /** In the order they ended. */
  readonly #ended = new Map<PosRequest, string>();
  readonly #byName = new Map<string, Set<PosRequest>>();

  /** @param most so many are remembered, the latest */
  constructor(most: number) {
    this.#most = most;
  }

  begin(request: PosRequest): void {
    this.#nameless.add(request);
    if (this.#nameless.size > this.#most) this.#forget(firstOf(this.#nameless));
  }

  /** It has ended, under a name that is made where somebody may ask for it. */
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

  /** What it calls its sale is known, or will not be asked for: gives those that ended under that name while it was on its way. */
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

  /** Of those that came up to an entry and have no name yet, remembers only the latest. */
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

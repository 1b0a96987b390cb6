import type { PosRequest } from '../requests/pos-request.ts';
import { findUpToEntry } from './requests-up-to-entry.ts';

/**
 * The payment requests that have not ended, by path and by the name of their sale. Requests with the same path concern
 * the same terminal, and a terminal has one payment at a time.
 */
export class OpenPaymentsByName {
  readonly #most: number;
  readonly #byName = new Map<string, PosRequest>();

  /** At most `most` names are remembered. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Notes that a request is open under a name. Returns the other request that was open under this name, if any. */
  noteOpen(name: string, request: PosRequest): PosRequest | undefined {
    const other = this.#byName.get(name);
    this.#byName.set(name, request);
    if (this.#byName.size > this.#most) {
      const [oldest] = this.#byName.keys();
      if (oldest !== undefined) this.#byName.delete(oldest);
    }
    return other === request ? undefined : other;
  }

  noteClosed(request: PosRequest): void {
    for (const name of openNames(request)) if (this.#byName.get(name) === request) this.#byName.delete(name);
  }

  /** Whether another payment of the same sale, or at the same terminal, is open and came after this request. */
  overlapsAnother(request: PosRequest): boolean {
    return openNames(request).some((name) => (this.#byName.get(name) ?? request) !== request);
  }

  requests(): Iterable<PosRequest> {
    return this.#byName.values();
  }

  /** Forgets the requests up to the entry with the number `upTo`, but keeps the latest `most` of them. */
  forgetAllBut(upTo: number, most: number): void {
    for (const request of findUpToEntry(this.#byName.values(), upTo).slice(0, -most))
      this.noteClosed(request);
  }
}

function openNames({ kind, path, saleName }: PosRequest): string[] {
  return kind !== 'payment' ? [] : saleName === undefined ? [path] : [path, saleName];
}

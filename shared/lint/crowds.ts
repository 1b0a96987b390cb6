import type { PosRequest } from '../requests/pos-request.ts';
import { mostTogether } from '../sales/same-sale.ts';

interface Counts {
  get(reference: string): number | undefined;
  set(reference: string, count: number): void;
}

/** How many payments share a reference. */
export class Crowds {
  readonly #counts: Counts;

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  count(request: PosRequest): void {
    const name = nameOf(request);
    if (name !== undefined) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  has(request: PosRequest): boolean {
    const name = nameOf(request);
    return name !== undefined && (this.#counts.get(name) ?? 0) > mostTogether;
  }
}

function nameOf({ kind, accountId, reference }: PosRequest): string | undefined {
  return kind === 'payment' && reference !== undefined ? `${accountId}\n${reference}` : undefined;
}

import type { PosRequest } from '../requests/pos-request.ts';
import { mostPaymentsOfReference } from '../sales/same-sale.ts';

type Payments = ReadonlySet<string>;

interface Known {
  get(reference: string): Payments | undefined;
  set(reference: string, payments: Payments): void;
}

/** Tells which requests share their reference with too many payments. */
export class SharedReferences {
  readonly #known: Known;

  constructor(known: Known) {
    this.#known = known;
  }

  /**
   * Counts a payment for its reference. A request that was refused is no payment, and a request that was repeated with
   * its key is no further payment.
   */
  count(request: PosRequest): void {
    const { payment, saleName: name } = request;
    if (payment === undefined || name === undefined) return;
    const known = this.#known.get(name);
    if (known && (known.has(payment) || known.size > mostPaymentsOfReference)) return;
    this.#known.set(name, new Set(known).add(payment));
  }

  has({ saleName: name }: PosRequest): boolean {
    return name !== undefined && (this.#known.get(name)?.size ?? 0) > mostPaymentsOfReference;
  }
}

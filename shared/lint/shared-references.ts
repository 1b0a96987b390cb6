import type { PosRequest } from '../requests/pos-request.ts';
import { mostPaymentsOfReference } from '../sales/same-sale.ts';

type Payments = ReadonlySet<string>;

interface Known {
  get(reference: string): Payments | undefined;
  set(reference: string, payments: Payments): void;
}

/** Tells which requests share their reference with too many payments. */
export class ReferencePaymentCounter {
  readonly #known: Known;

  constructor(known: Known) {
    this.#known = known;
  }

  /**
   * Adds a payment to the count for its reference. A refused request does not count, because it is no payment. A
   * request that was repeated with the same key does not count again, because it is the same payment.
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

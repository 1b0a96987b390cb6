import type { PosRequest } from '../../shared/requests/pos-request.ts';
import { hasTransactionId, readTransactionRequest } from './adyen-steps.ts';
import type { ScenarioNameLookup } from './pos-steps.ts';
import { findRecordedIdempotencyKey } from './recorded-requests.ts';

/** A request of a point of sale, and its name in the scenario. */
interface NamedRequest {
  readonly name: string;
  readonly request: PosRequest;
}

/** The requests that have a name in the scenario. */
export class NamedRequests {
  #byRequestId = new Map<string, NamedRequest>();
  /** The requests that began a payment, a debit or a give-back. */
  #sales: NamedRequest[] = [];
  #counts = new Map<string, number>();

  add(request: PosRequest, name: string): void {
    this.#byRequestId.set(request.requestId, { name, request });
    if (beginsSale(request)) this.#sales.push({ name, request });
  }

  get(requestId: string): NamedRequest | undefined {
    return this.#byRequestId.get(requestId);
  }

  /** Returns the request that began the sale to which a later request refers. */
  findSale({
    key,
    payment,
    transaction,
  }: Parameters<ScenarioNameLookup['sale']>[0]): NamedRequest | undefined {
    return this.#sales.find(
      ({ request }) =>
        (key !== undefined && findRecordedIdempotencyKey(request) === key) ||
        (payment !== undefined && request.payment === payment) ||
        (transaction !== undefined && hasTransactionId(request, transaction)),
    );
  }

  /** Makes a name that says what kind of request it is. */
  makeName(request: PosRequest): string {
    const { kind } = request;
    const begins = readTransactionRequest(request)?.begins;
    if (begins === 'refund' || begins === 'reversal') return this.makeNumberedName('back');
    const words: Record<string, string> = { payment: 'sale', other: 'request' };
    return this.makeNumberedName(words[kind] ?? kind);
  }

  /** Returns `word` at the first call, then `word-2`, and so on. */
  makeNumberedName(word: string): string {
    const count = (this.#counts.get(word) ?? 0) + 1;
    this.#counts.set(word, count);
    return count === 1 ? word : `${word}-${count}`;
  }
}

/** Whether a request begins a sale, or gives money back at a terminal in Adyen's API. */
export function beginsSale(request: PosRequest): boolean {
  return (
    ['payment', 'charge', 'preauthorize'].includes(request.kind) ||
    readTransactionRequest(request) !== undefined
  );
}

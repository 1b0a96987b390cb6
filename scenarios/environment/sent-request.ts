import type { AdyenMessageId } from './adyen.ts';
import type { HttpAnswer, HttpExchange } from './http-exchange.ts';
import type { ScenarioContext } from './scenario-context.ts';

/**
 * The kinds of requests. `payment` is any request that a point of sale sends to a terminal, even a request to give
 * money back. `givenBack` is a request over the control API to give money back.
 */
export type SentRequestKind =
  | 'payment'
  | 'status'
  | 'abort'
  | 'debit'
  | 'capture'
  | 'refund'
  | 'givenBack'
  | 'credit'
  | 'request';

const answeredAtOnce: readonly SentRequestKind[] = ['debit', 'capture', 'refund', 'credit', 'request'];

/**
 * Whether the gateway answers a request of this kind without waiting for a terminal or a customer. If so, the next
 * step can use the answer.
 */
export function isAnsweredAtOnce(kind: SentRequestKind): boolean {
  return answeredAtOnce.includes(kind);
}

/** A request of the point of sale, which may be about a payment. */
export class SentRequest {
  /** The kind of call. */
  readonly kind: SentRequestKind;
  /** The request's name in the scenario, which the field `as` gives. */
  readonly name: string | undefined;
  /** The request as it was sent, and its answer. */
  readonly exchange: HttpExchange;
  /** The Idempotency-Key, if one was sent. */
  readonly key: string | undefined;
  /** The terminal of a payment request. */
  readonly poiId: string | undefined;
  /** The names that identify a payment in Adyen's API, if it was requested there. */
  readonly adyen: AdyenMessageId | undefined;
  /** The payment of this request, as found in the journal. This payment cannot belong to any other request. */
  claimedPayment: string | undefined;
  #context: ScenarioContext;
  #before: number;
  #claimed: () => string[];

  constructor(
    context: ScenarioContext,
    facts: Pick<SentRequest, 'kind' | 'exchange' | 'name' | 'key' | 'poiId' | 'adyen'> & {
      /** The seq of the last journal entry before the request was sent. */
      before: number;
      /** Returns the payments that are already known to belong to requests. */
      claimed: () => string[];
    },
  ) {
    this.#context = context;
    this.kind = facts.kind;
    this.name = facts.name;
    this.exchange = facts.exchange;
    this.key = facts.key;
    this.poiId = facts.poiId;
    this.adyen = facts.adyen;
    this.#before = facts.before;
    this.#claimed = facts.claimed;
  }

  /** The answer. It is undefined while the request is open, and if the connection broke. */
  get answer(): HttpAnswer | undefined {
    return this.exchange.answer;
  }

  /**
   * Returns the identifier of the payment, debit or refund of this request. The identifier of a payment is known even
   * while its request is still open. Undefined if the gateway has not accepted the request.
   *
   * @example
   * const sale = await pinpad.pos.pay({ amount: 12.5 });
   * await pinpad.host({ type: 'decline' }, { payment: await sale.payment() });
   */
  async payment(): Promise<string | undefined> {
    const { identifier, debit_id, id } = (this.answer?.body ?? {}) as Record<string, unknown>;
    const known = identifier ?? debit_id ?? id;
    if (typeof known === 'string') return known;
    if (this.kind !== 'payment' && this.kind !== 'givenBack') return undefined;
    this.claimedPayment ??= await this.#accepted();
    return this.claimedPayment;
  }

  /**
   * Finds the request's payment in the journal: by the request's id or by its key. For a request without a key, takes
   * the terminal's first payment that belongs to no other request.
   */
  async #accepted(): Promise<string | undefined> {
    const entries = await this.#context.journal();
    const accepted = entries.filter((entry) => entry.kind === 'payment.accepted');
    const { requestId } = this.exchange;
    const own = accepted.find(({ data }) => 'requestId' in data && data.requestId === requestId);
    if (own) return own.payment;
    const asked = entries.find(({ kind, data }) => kind === 'http.received' && data.requestId === requestId);
    const key = asked && 'asks' in asked.data ? asked.data.asks?.key : undefined;
    if (key !== undefined)
      return accepted.find(({ data }) => 'idempotencyKey' in data && data.idempotencyKey === key)?.payment;
    const ofKey = (data: object) => 'idempotencyKey' in data && data.idempotencyKey === this.key;
    if (this.key !== undefined) return accepted.find(({ data }) => ofKey(data))?.payment;
    const taken = this.#claimed();
    return accepted.find(
      ({ seq, terminal, payment }) =>
        seq > this.#before && terminal === this.poiId && payment !== undefined && !taken.includes(payment),
    )?.payment;
  }
}

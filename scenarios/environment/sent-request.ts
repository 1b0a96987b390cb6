import type { AdyenName } from './adyen.ts';
import type { HttpAnswer, HttpExchange } from './http-exchange.ts';
import type { ScenarioContext } from './scenario-context.ts';

/** `payment` is a request to a terminal, even one to give money back; `givenBack` gives back through the control API. */
export type SentKind =
  | 'payment'
  | 'status'
  | 'abort'
  | 'debit'
  | 'capture'
  | 'refund'
  | 'givenBack'
  | 'credit'
  | 'request';

const answeredAtOnce: readonly SentKind[] = ['debit', 'capture', 'refund', 'credit', 'request'];

/** Whether it is answered without a terminal or a customer, so that the next step may use its answer. */
export function isAnsweredAtOnce(kind: SentKind): boolean {
  return answeredAtOnce.includes(kind);
}

/** A request of the point of sale, and the payment that it is about. */
export class SentRequest {
  /** The call that it is. */
  readonly kind: SentKind;
  /** The name that `as` gave it. */
  readonly name: string | undefined;
  /** The request as it was sent, and its answer. */
  readonly exchange: HttpExchange;
  /** The Idempotency-Key, if one was sent. */
  readonly key: string | undefined;
  /** The terminal of a payment request. */
  readonly poiId: string | undefined;
  /** The names of a payment that was requested in Adyen's API. */
  readonly adyen: AdyenName | undefined;
  /** The payment that was found for it in the journal, so that no other request takes the same. */
  claimedPayment: string | undefined;
  #context: ScenarioContext;
  #before: number;
  #claimed: () => string[];

  constructor(
    context: ScenarioContext,
    facts: {
      kind: SentKind;
      exchange: HttpExchange;
      name: string | undefined;
      key: string | undefined;
      poiId: string | undefined;
      adyen: AdyenName | undefined;
      /** The journal's last number before it was sent. */
      before: number;
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

  /** The answer; undefined while the request is held open, and if the connection broke. */
  get answer(): HttpAnswer | undefined {
    return this.exchange.answer;
  }

  /**
   * Gives the identifier of the payment, debit or refund that this is about; it is known for a held payment as well.
   * Undefined if the gateway has not accepted the request.
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

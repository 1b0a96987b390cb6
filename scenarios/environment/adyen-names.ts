import { type AdyenMessageId, sentCategoryOf, transactionIdIn } from './adyen.ts';
import { type ScenarioContext, ScenarioError } from './scenario-context.ts';
import type { PaymentReference, SendOptions } from './sending.ts';
import type { SentRequest } from './sent-request.ts';

/** The identifiers of the point of sale's messages and payments in Adyen's API. */
export class AdyenIdentifiers {
  #context: ScenarioContext;
  #serviceIds = 0;

  constructor(context: ScenarioContext) {
    this.#context = context;
  }

  /**
   * Returns the TransactionID of a payment. A request in Adyen's API to give the money back names the payment by this
   * TransactionID. The TransactionID is in the answer to the payment. If there is no such answer, the TransactionID is
   * the host's reference or, if the host does not know the payment, the payment's identifier.
   *
   * @throws ScenarioError if neither the payment's answer nor its identifier is known yet
   */
  async transactionIdOf(sent: SentRequest): Promise<string> {
    const told = transactionIdIn(sent.answer?.body);
    if (told !== undefined) return told;
    const payment = await sent.payment();
    if (payment === undefined)
      throw new ScenarioError(
        'the payment to give back is not known yet: first wait for the answer to the payment request',
      );
    const lines = await this.#context.control.GET('/control/ledger', { params: { query: { payment } } });
    return lines.find(({ kind }) => kind === 'authorized')?.pspReference ?? payment;
  }

  /**
   * Returns the identifier of the message that began a payment. A status or abort request in Adyen's API needs this
   * identifier. Returns undefined if the step uses the payments API. A step with `by: identifier` uses the payments API
   * even if the payment was begun in Adyen's API.
   *
   * @throws ScenarioError if the step uses Adyen's API, but names a payment that has no ServiceID
   */
  messageIdOf(
    reference: PaymentReference,
    { api }: SendOptions,
  ): (AdyenMessageId & { MessageCategory?: string }) | undefined {
    if ('of' in reference && reference.of.adyen && reference.by !== 'identifier')
      return { ...reference.of.adyen, MessageCategory: sentCategoryOf(reference.of.exchange.request.body) };
    if (api !== 'adyen') return undefined;
    if ('key' in reference) return this.makeMessageId(this.#context.terminal().poiId, reference.key);
    throw new ScenarioError("In Adyen's API, the name of a payment is its ServiceID: use { key: ServiceID }");
  }

  /** Makes the identifier of a message to a terminal, with a new ServiceID unless one is given. */
  makeMessageId(POIID: string, ServiceID = this.makeServiceId()): AdyenMessageId {
    return { SaleID: `${this.#context.environment.prefix}till`, POIID, ServiceID };
  }

  makeServiceId(): string {
    this.#serviceIds++;
    return String(this.#serviceIds).padStart(4, '0');
  }
}

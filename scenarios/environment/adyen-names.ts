import { type AdyenMessageId, sentCategoryOf, transactionIdIn } from './adyen.ts';
import { type ScenarioContext, ScenarioError } from './scenario-context.ts';
import type { PaymentReference, SendOptions } from './sending.ts';
import type { SentRequest } from './sent-request.ts';

/** The names that the point of sale gives to its messages and payments in Adyen's API. */
export class AdyenNames {
  #context: ScenarioContext;
  #serviceIds = 0;

  constructor(context: ScenarioContext) {
    this.#context = context;
  }

  /**
   * Returns the name of a payment in Adyen's API. Before the payment has an answer with this name, returns the host's
   * reference.
   */
  async transactionOf(sent: SentRequest): Promise<string> {
    const told = transactionIdIn(sent.answer?.body);
    if (told !== undefined) return told;
    const payment = await sent.payment();
    if (payment === undefined)
      throw new ScenarioError('the payment to give back is not known yet: wait for its answer first');
    const lines = await this.#context.control.GET('/control/ledger', { params: { query: { payment } } });
    return lines.find(({ kind }) => kind === 'authorized')?.pspReference ?? payment;
  }

  /**
   * Returns the names that identify the payment in Adyen's API; undefined if neither the step nor the payment uses
   * this API.
   */
  paymentOf(
    reference: PaymentReference,
    { api }: SendOptions,
  ): (AdyenMessageId & { MessageCategory?: string }) | undefined {
    if ('of' in reference && reference.of.adyen && reference.by !== 'identifier')
      return { ...reference.of.adyen, MessageCategory: sentCategoryOf(reference.of.exchange.request.body) };
    if (api !== 'adyen') return undefined;
    if ('key' in reference) return this.nameOf(this.#context.terminal().poiId, reference.key);
    throw new ScenarioError("In Adyen's API, the name of a payment is its ServiceID: use { key: ServiceID }");
  }

  nameOf(POIID: string, ServiceID = this.nextServiceId()): AdyenMessageId {
    return { SaleID: `${this.#context.environment.prefix}till`, POIID, ServiceID };
  }

  nextServiceId(): string {
    this.#serviceIds++;
    return String(this.#serviceIds).padStart(4, '0');
  }
}

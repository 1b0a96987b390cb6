import {
  type AdyenMessageId,
  adyenTerminalApiPath,
  makeAdyenPaymentMessage,
  makeChangedPaymentMessage,
  makeReversalMessage,
  makeStatusOrAbortMessage,
} from './adyen.ts';
import { AdyenIdentifiers } from './adyen-names.ts';
import { type HttpExchange, type HttpRequest, makePlainRequest } from './http-exchange.ts';
import { makePaymentRequestBody } from './order.ts';
import { type ScenarioContext, ScenarioError } from './scenario-context.ts';
import {
  type GiveBackOrder,
  makeRequestHeaders,
  type PaymentReference,
  type PayOrder,
  replaceNamesByIds,
  type SendOptions,
} from './sending.ts';
import { isAnsweredAtOnce, SentRequest, type SentRequestKind } from './sent-request.ts';

/**
 * The POS of a scenario. It can make every call of the payments API. A call stays open until the gateway answers. No
 * refusal (`pinpad.expect({ answer: 409 }, { of: request })`) and no broken connection (`'lost'`) throws an error.
 */
export class Pos {
  #context: ScenarioContext;
  #sent: SentRequest[] = [];
  #adyen: AdyenIdentifiers;

  constructor(context: ScenarioContext) {
    this.#context = context;
    this.#adyen = new AdyenIdentifiers(context);
  }

  /** All requests that were sent so far, in order. */
  get sent(): readonly SentRequest[] {
    return this.#sent;
  }

  /**
   * Asks a terminal to collect a payment (B11), and leaves the request open until the terminal has finished. `amount`
   * is in major units: 12.5 is 12.50 €.
   *
   * @throws ScenarioError if there is no such terminal, or if a message of Adyen cannot express the order
   *
   * @example
   * const sale = await pinpad.pos.pay({ amount: 12.5, key: 'order-1001' });
   * await pinpad.terminal().tap('visa-credit');
   * await pinpad.expect({ outcome: 'success' }, { of: sale });
   */
  async pay({
    terminal: named,
    as,
    key,
    prefer,
    headers,
    token,
    api,
    ...order
  }: PayOrder): Promise<SentRequest> {
    const terminal = this.#context.terminal(named);
    if (api === 'adyen') {
      const name = this.#adyen.makeMessageId(terminal.poiId, key);
      const body = makeAdyenPaymentMessage(order, this.#context.environment.currency, name);
      return this.#sendAdyen('payment', body, { as, headers, token }, name);
    }
    return this.#send(
      'payment',
      {
        method: 'POST',
        path: `/terminals/${terminal.identifier}/payment-request`,
        headers: {},
        body: makePaymentRequestBody(order),
      },
      { as, key, prefer, headers, token },
      terminal.poiId,
    );
  }

  /**
   * Sends a request once more, as a retry with the same key. `changes` replaces parts of the request. The `amount` in
   * `changes` is in major units.
   *
   * @example
   * const sale = await pinpad.pos.pay({ amount: 12.5, key: 'order-1001' });
   * const retry = await pinpad.pos.again(sale);
   */
  again(earlier: SentRequest, changes: SendOptions & { amount?: number } = {}): Promise<SentRequest> {
    const { method, path, body, headers } = earlier.exchange.request;
    const { amount, ...sending } = changes;
    if (earlier.kind === 'givenBack') {
      const given = { ...(body as object), ...(amount !== undefined && { amount }) };
      const again = { method, path, headers, body: given };
      return this.#send('givenBack', again, { key: earlier.key, ...sending }, earlier.poiId);
    }
    if (earlier.adyen) {
      const name = sending.key === undefined ? earlier.adyen : { ...earlier.adyen, ServiceID: sending.key };
      return this.#sendAdyen('payment', makeChangedPaymentMessage(body, { amount, name }), sending, name);
    }
    const changed =
      amount === undefined ? body : { ...(body as object), ...makePaymentRequestBody({ amount }) };
    return this.#send(
      earlier.kind,
      { method, path, headers, body: changed },
      { key: earlier.key, ...sending },
      earlier.poiId,
    );
  }

  /**
   * Asks how a payment ended (B47). Names the payment by its request, by its Idempotency-Key or by its identifier.
   *
   * @throws ScenarioError if Adyen's API is asked and the payment is named by its identifier
   *
   * @example
   * const sale = await pinpad.pos.pay({ amount: 12.5, key: 'order-1001' });
   * await pinpad.terminal().tap('visa-credit');
   * const status = await pinpad.pos.status({ of: sale });
   * await pinpad.expect({ answer: 200 }, { of: status });
   */
  async status(
    reference: PaymentReference,
    { receipts, ...sending }: SendOptions & { receipts?: boolean } = {},
  ): Promise<SentRequest> {
    const payment = this.#adyen.messageIdOf(reference, sending);
    if (payment)
      return this.#sendAdyen(
        'status',
        makeStatusOrAbortMessage('TransactionStatus', this.#adyen.makeServiceId(), payment, receipts),
        sending,
      );
    const query = new URLSearchParams(await this.#referenceFields(reference));
    return this.#send('status', makePlainRequest('GET', `/payment-requests/status?${query}`), sending);
  }

  /**
   * Asks for the latest payment request of a terminal (B50), by default of the first terminal.
   *
   * @throws ScenarioError if there is no such terminal
   *
   * @example
   * const latest = await pinpad.pos.latest();
   */
  latest(terminal?: string, sending: SendOptions = {}): Promise<SentRequest> {
    const { identifier } = this.#context.terminal(terminal);
    return this.#send('status', makePlainRequest('GET', `/terminals/${identifier}/payment-request`), sending);
  }

  /**
   * Asks to abort an open payment (B52). Names the payment by its request, by its key or by its identifier.
   *
   * @throws ScenarioError if Adyen's API is asked and the payment is named by its identifier
   *
   * @example
   * const sale = await pinpad.pos.pay({ amount: 12.5 });
   * await pinpad.pos.abort({ of: sale });
   */
  async abort(reference: PaymentReference, sending: SendOptions = {}): Promise<SentRequest> {
    const payment = this.#adyen.messageIdOf(reference, sending);
    if (payment)
      return this.#sendAdyen(
        'abort',
        makeStatusOrAbortMessage('Abort', this.#adyen.makeServiceId(), payment),
        sending,
      );
    const body = await this.#referenceFields(reference);
    return this.#send('abort', makePlainRequest('POST', '/payment-requests/abort', body), sending);
  }

  /**
   * Asks to abort the payment that is open at a terminal (B53), by default at the first terminal.
   *
   * @throws ScenarioError if there is no such terminal
   *
   * @example
   * await pinpad.pos.pay({ amount: 12.5 });
   * await pinpad.pos.abortLatest();
   */
  abortLatest(terminal?: string, sending: SendOptions = {}): Promise<SentRequest> {
    const { identifier } = this.#context.terminal(terminal);
    const path = `/terminals/${identifier}/payment-request/abort`;
    return this.#send('abort', makePlainRequest('POST', path), sending);
  }

  /**
   * Charges a saved card, or holds the amount on the card (B71, B72). `contact` and `card` are ids in the option
   * `contacts`. `body` is the body of the API request, with `amount` in major units.
   *
   * @example
   * const body = { amount: 30, to_bank_account_id: 'shop-account', statement: 'ORDER 7' };
   * const debit = await pinpad.pos.chargeCard('charge', { contact: 'customer', card: 'saved-visa', body });
   */
  chargeCard(
    way: 'charge' | 'preauthorize',
    { contact, card, body }: { contact: string; card: string; body: unknown },
    sending: SendOptions = {},
  ): Promise<SentRequest> {
    const { environment } = this.#context;
    const [customer, saved] = [contact, card].map((name) => encodeURIComponent(environment.idOf(name)));
    const path = `/contact/${customer}/creditCards/${saved}/${way}`;
    const request = makePlainRequest('POST', path, replaceNamesByIds(body, environment));
    return this.#send('debit', request, sending);
  }

  /**
   * Takes the amount that a preauthorization holds (B73).
   *
   * @example
   * const body = { amount: 30, to_bank_account_id: 'shop-account', statement: 'ORDER 7' };
   * const hold = await pinpad.pos.chargeCard('preauthorize', { contact: 'customer', card: 'saved-visa', body });
   * await pinpad.pos.capture(hold);
   */
  async capture(debit: SentRequest, sending: SendOptions = {}): Promise<SentRequest> {
    const path = `/debit/${await debit.payment()}/capture`;
    return this.#send('capture', makePlainRequest('POST', path), sending);
  }

  /**
   * Refunds a charge of a saved card, or a part of the charge (B83). `body` is the body of the API request, with
   * `amount` in major units.
   *
   * @example
   * const body = { amount: 30, to_bank_account_id: 'shop-account', statement: 'ORDER 7' };
   * const debit = await pinpad.pos.chargeCard('charge', { contact: 'customer', card: 'saved-visa', body });
   * await pinpad.pos.refund(debit, { amount: 10, reason: 'customer_request' });
   */
  async refund(debit: SentRequest, body: unknown, sending: SendOptions = {}): Promise<SentRequest> {
    const path = `/debit/${await debit.payment()}/refunds`;
    return this.#send('refund', makePlainRequest('POST', path, body), sending);
  }

  /**
   * Gives a payment's money back at a terminal (B500), over the control API or, with `api: 'adyen'`, over Adyen's API.
   * `amount` is in major units. Without `amount`, all that is left is given back. The request stays open until the
   * reversal or refund has ended.
   *
   * @throws ScenarioError if there is no such terminal, or if Adyen's API cannot express the request
   *
   * @example
   * const sale = await pinpad.pos.pay({ amount: 12.5 });
   * await pinpad.terminal().tap('visa-credit');
   * await pinpad.expect({ outcome: 'success' }, { of: sale });
   * await pinpad.pos.giveBack({ of: sale, amount: 10 });
   */
  async giveBack({
    of,
    terminal: named,
    api,
    as,
    headers,
    token,
    ...given
  }: GiveBackOrder): Promise<SentRequest> {
    const { poiId } = this.#context.terminal(named ?? of?.poiId);
    const { key, prefer: _, amount, currency, ...said } = given;
    if (api !== 'adyen') {
      const payment = await of?.payment();
      const body = { payment, amount, currency, customerLanguage: said.language, wait: true };
      const request = { method: 'POST', path: `/control/terminals/${poiId}/refund`, headers: {}, body };
      const sending = { as, key, headers, token: token ?? this.#context.environment.controlToken };
      return this.#send('givenBack', request, sending, poiId);
    }
    if (of && said.language !== undefined)
      throw new ScenarioError("a reversal in Adyen's API has no language");
    const name = this.#adyen.makeMessageId(poiId, key);
    const refund = { ...said, body: { PaymentData: { PaymentType: 'Refund' }, ...said.body }, amount };
    const body = of
      ? makeReversalMessage(await this.#adyen.transactionIdOf(of), { ...said, amount, currency }, name)
      : makeAdyenPaymentMessage(refund, currency ?? this.#context.environment.currency, name);
    return this.#sendAdyen('payment', body, { as, headers, token }, name);
  }

  /**
   * Asks for the refunds of a charge of a saved card (B82).
   *
   * @example
   * const body = { amount: 30, to_bank_account_id: 'shop-account', statement: 'ORDER 7' };
   * const debit = await pinpad.pos.chargeCard('charge', { contact: 'customer', card: 'saved-visa', body });
   * const refunds = await pinpad.pos.refunds(debit);
   */
  async refunds(debit: SentRequest, sending: SendOptions = {}): Promise<SentRequest> {
    return this.#send('request', makePlainRequest('GET', `/debit/${await debit.payment()}/refunds`), sending);
  }

  /**
   * Creates a credit for a customer, with the link to claim the money (B93). `body` is the body of the API request,
   * with `amount` in major units.
   *
   * @example
   * const party = { contact_id: 'customer', from_bank_account: 'shop-account' };
   * const credit = await pinpad.pos.credit({ ...party, amount: 25.5, statement: 'BACK' });
   */
  credit(body: unknown, sending: SendOptions = {}): Promise<SentRequest> {
    const named = replaceNamesByIds(body, this.#context.environment);
    return this.#send('credit', makePlainRequest('PUT', '/credit', named), sending);
  }

  /**
   * Sends any other request to the payments API. `path` begins with a slash.
   *
   * @example
   * const terminals = await pinpad.pos.call({ method: 'GET', path: '/terminals' });
   */
  call(
    request: { method: string; path: string; body?: unknown },
    sending: SendOptions = {},
  ): Promise<SentRequest> {
    return this.#send('request', { ...request, headers: {} }, sending);
  }

  #sendAdyen(
    kind: SentRequestKind,
    body: object,
    sending: SendOptions,
    name?: AdyenMessageId,
  ): Promise<SentRequest> {
    const { key: _, prefer: __, ...rest } = sending;
    const request = { method: 'POST', path: adyenTerminalApiPath, headers: {}, body };
    return this.#send(kind, request, { ...rest, api: 'adyen' }, name?.POIID, name);
  }

  async #referenceFields(reference: PaymentReference): Promise<Record<string, string>> {
    if ('key' in reference) return { idempotencyKey: reference.key };
    if ('identifier' in reference) return { transactionId: reference.identifier };
    const { of, by = of.key === undefined ? 'identifier' : 'key' } = reference;
    return by === 'key' ? { idempotencyKey: of.key ?? '' } : { transactionId: (await of.payment()) ?? '' };
  }

  async #send(
    kind: SentRequestKind,
    request: HttpRequest,
    sending: SendOptions,
    poiId?: string,
    adyen?: AdyenMessageId,
  ): Promise<SentRequest> {
    const before = (await this.#context.journal()).at(-1)?.seq ?? 0;
    const headers = makeRequestHeaders(request, sending, this.#context.environment.tokens);
    const exchange: HttpExchange = await this.#context.send({ ...request, headers });
    const claimed = () => this.#sent.flatMap(({ claimedPayment }) => claimedPayment ?? []);
    const key = headers['idempotency-key'];
    const facts = { kind, exchange, name: sending.as, key, poiId, adyen, before, claimed };
    const sent = new SentRequest(this.#context, facts);
    this.#sent.push(sent);
    if (isAnsweredAtOnce(kind)) await this.#context.answered(exchange);
    return sent;
  }
}

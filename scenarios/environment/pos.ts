import {
  type AdyenName,
  adyenPath,
  adyenPaymentMessage,
  changedPayment,
  type GivenBack,
  messageAbout,
  reversalMessage,
} from './adyen.ts';
import { AdyenNames } from './adyen-names.ts';
import type { HttpExchange, HttpRequest } from './http-exchange.ts';
import { type Order, orderBody } from './order.ts';
import { type ScenarioContext, ScenarioError } from './scenario-context.ts';
import { headersOf, type PaymentReference, type Sending } from './sending.ts';
import { type SentKind, SentRequest } from './sent-request.ts';

export interface PayOrder extends Order, Sending {
  terminal?: string;
}

interface GiveBackOrder extends GivenBack, Sending {
  /** The payment to reverse, without a card; if absent, the amount goes to a card that is presented. */
  of?: SentRequest;
  /** The terminal; if absent, that of the payment, or the first one. */
  terminal?: string;
}

/** The POS's side: it sends every call of the payments API and leaves it open until its answer is read. */
export class Pos {
  #context: ScenarioContext;
  #sent: SentRequest[] = [];
  #adyen: AdyenNames;

  constructor(context: ScenarioContext) {
    this.#context = context;
    this.#adyen = new AdyenNames(context);
  }

  /** Everything sent so far, in order. */
  get sent(): readonly SentRequest[] {
    return this.#sent;
  }

  /** POST /terminals/{terminalId}/payment-request (B11). */
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
      const name = this.#adyen.nameOf(terminal.poiId, key);
      const body = adyenPaymentMessage(order, this.#context.environment.currency, name);
      return this.#sendAdyen('payment', body, { as, headers, token }, name);
    }
    return this.#send(
      'payment',
      {
        method: 'POST',
        path: `/terminals/${terminal.identifier}/payment-request`,
        headers: {},
        body: orderBody(order),
      },
      { as, key, prefer, headers, token },
      terminal.poiId,
    );
  }

  /** Sends a request once more, as a retry; `changes` override single parts. */
  again(earlier: SentRequest, changes: Sending & { amount?: number } = {}): Promise<SentRequest> {
    const { method, path, body, headers } = earlier.exchange.request;
    const { amount, ...sending } = changes;
    if (earlier.kind === 'givenBack') {
      const again = {
        method,
        path,
        headers,
        body: { ...(body as object), ...(amount !== undefined && { amount }) },
      };
      return this.#send('givenBack', again, { key: earlier.key, ...sending }, earlier.poiId);
    }
    if (earlier.adyen) {
      const name = sending.key === undefined ? earlier.adyen : { ...earlier.adyen, ServiceID: sending.key };
      return this.#sendAdyen('payment', changedPayment(body, { amount, name }), sending, name);
    }
    const changed = amount === undefined ? body : { ...(body as object), ...orderBody({ amount }) };
    return this.#send(
      earlier.kind,
      { method, path, headers, body: changed },
      { key: earlier.key, ...sending },
      earlier.poiId,
    );
  }

  /** GET /payment-requests/status (B47). */
  async status(
    reference: PaymentReference,
    { receipts, ...sending }: Sending & { receipts?: boolean } = {},
  ): Promise<SentRequest> {
    const payment = this.#adyen.paymentOf(reference, sending);
    if (payment)
      return this.#sendAdyen(
        'status',
        messageAbout('TransactionStatus', this.#adyen.nextServiceId(), payment, receipts),
        sending,
      );
    const query = new URLSearchParams(await this.#referenceFields(reference));
    return this.#send('status', get(`/payment-requests/status?${query}`), sending);
  }

  /** GET /terminals/{terminalId}/payment-request: the latest request there (B50). */
  latest(terminal?: string, sending: Sending = {}): Promise<SentRequest> {
    const { identifier } = this.#context.terminal(terminal);
    return this.#send('status', get(`/terminals/${identifier}/payment-request`), sending);
  }

  /** POST /payment-requests/abort (B52). */
  async abort(reference: PaymentReference, sending: Sending = {}): Promise<SentRequest> {
    const payment = this.#adyen.paymentOf(reference, sending);
    if (payment)
      return this.#sendAdyen('abort', messageAbout('Abort', this.#adyen.nextServiceId(), payment), sending);
    const body = await this.#referenceFields(reference);
    return this.#send('abort', { ...get('/payment-requests/abort'), method: 'POST', body }, sending);
  }

  /** POST /terminals/{terminalId}/payment-request/abort (B53). */
  abortLatest(terminal?: string, sending: Sending = {}): Promise<SentRequest> {
    const { identifier } = this.#context.terminal(terminal);
    const path = `/terminals/${identifier}/payment-request/abort`;
    return this.#send('abort', { ...get(path), method: 'POST' }, sending);
  }

  /** POST …/charge or …/preauthorize of a saved card (B71, B72). */
  chargeCard(
    way: 'charge' | 'preauthorize',
    { contact, card, body }: { contact: string; card: string; body: unknown },
    sending: Sending = {},
  ): Promise<SentRequest> {
    const [customer, saved] = [contact, card].map((name) => encodeURIComponent(this.#idOf(name)));
    const path = `/contact/${customer}/creditCards/${saved}/${way}`;
    return this.#send('debit', { ...get(path), method: 'POST', body: this.#withIds(body) }, sending);
  }

  /** POST /debit/{debit_id}/capture (B73). */
  async capture(debit: SentRequest, sending: Sending = {}): Promise<SentRequest> {
    const path = `/debit/${await debit.payment()}/capture`;
    return this.#send('capture', { ...get(path), method: 'POST' }, sending);
  }

  /** POST /debit/{debit_id}/refunds (B83). */
  async refund(debit: SentRequest, body: unknown, sending: Sending = {}): Promise<SentRequest> {
    const path = `/debit/${await debit.payment()}/refunds`;
    return this.#send('refund', { ...get(path), method: 'POST', body }, sending);
  }

  /**
   * Gives back at a terminal the money that it took (B500): by the control API, or with `api: 'adyen'` as a point of sale of
   * Adyen does. The request stays open until the terminal has done it.
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
    const name = this.#adyen.nameOf(poiId, key);
    const refund = { ...said, body: { PaymentData: { PaymentType: 'Refund' }, ...said.body }, amount };
    const body = of
      ? reversalMessage(await this.#adyen.transactionOf(of), { ...said, amount, currency }, name)
      : adyenPaymentMessage(refund, currency ?? this.#context.environment.currency, name);
    return this.#sendAdyen('payment', body, { as, headers, token }, name);
  }

  /** GET /debit/{debit_id}/refunds (B82). */
  async refunds(debit: SentRequest, sending: Sending = {}): Promise<SentRequest> {
    return this.#send('request', get(`/debit/${await debit.payment()}/refunds`), sending);
  }

  /** PUT /credit: makes money for a customer, and the link to claim it (B93). */
  credit(body: unknown, sending: Sending = {}): Promise<SentRequest> {
    return this.#send('credit', { ...get('/credit'), method: 'PUT', body: this.#withIds(body) }, sending);
  }

  /** Sends any other request. */
  call(
    request: { method: string; path: string; body?: unknown },
    sending: Sending = {},
  ): Promise<SentRequest> {
    return this.#send('request', { ...request, headers: {} }, sending);
  }

  #idOf(name: string): string {
    return this.#context.environment.idOf(name);
  }

  /** Replaces contacts and bank accounts in a body by the gateway's identifiers. */
  #withIds(body: unknown): unknown {
    if (typeof body !== 'object' || body === null) return body;
    const naming = ['contact_id', 'to_bank_account_id', 'from_bank_account'];
    return Object.fromEntries(
      Object.entries(body).map(([field, value]) => [
        field,
        naming.includes(field) && typeof value === 'string' ? this.#idOf(value) : value,
      ]),
    );
  }

  #sendAdyen(kind: SentKind, body: object, sending: Sending, name?: AdyenName): Promise<SentRequest> {
    const { key: _, prefer: __, ...rest } = sending;
    const request = { method: 'POST', path: adyenPath, headers: {}, body };
    return this.#send(kind, request, { ...rest, api: 'adyen' }, name?.POIID, name);
  }

  async #referenceFields(reference: PaymentReference): Promise<Record<string, string>> {
    if ('key' in reference) return { idempotencyKey: reference.key };
    if ('identifier' in reference) return { transactionId: reference.identifier };
    const { of, by = of.key === undefined ? 'identifier' : 'key' } = reference;
    return by === 'key' ? { idempotencyKey: of.key ?? '' } : { transactionId: (await of.payment()) ?? '' };
  }

  async #send(
    kind: SentKind,
    request: HttpRequest,
    sending: Sending,
    poiId?: string,
    adyen?: AdyenName,
  ): Promise<SentRequest> {
    const before = (await this.#context.journal()).at(-1)?.seq ?? 0;
    const headers = headersOf(request, sending, this.#context.environment.tokens);
    const exchange: HttpExchange = await this.#context.send({ ...request, headers });
    const claimed = () =>
      this.#sent.flatMap((one) => (one.claimedPayment === undefined ? [] : [one.claimedPayment]));
    const sent = new SentRequest(this.#context, {
      kind,
      exchange,
      name: sending.as,
      key: headers['idempotency-key'],
      poiId,
      adyen,
      before,
      claimed,
    });
    this.#sent.push(sent);
    if (answeredAtOnce.includes(kind)) await this.#context.answered(exchange);
    return sent;
  }
}

/** Requests that are answered without a terminal or a customer, so that the next step may use their answers. */
const answeredAtOnce: readonly SentKind[] = ['debit', 'capture', 'refund', 'credit', 'request'];

const get = (path: string): HttpRequest => ({ method: 'GET', path, headers: {} });

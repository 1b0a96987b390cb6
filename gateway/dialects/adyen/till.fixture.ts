import type { TestTerminal } from '../../payments/test-terminal.fixture.ts';

/** Fields that replace the usual ones in a message's header. */
type Header = Record<string, string | undefined>;

/** A till that uses Adyen's Terminal API at a gateway. */
export class Till {
  readonly #url: string;
  readonly key: string;
  readonly #poiId: string;

  constructor(gateway: { url: string; token: string }, key = gateway.token, poiId = 'V400m-1') {
    this.#url = gateway.url;
    this.key = key;
    this.#poiId = poiId;
  }

  pay(ServiceID: string, amount: number, more: { header?: Header; sale?: object; payment?: object } = {}) {
    return this.send(
      makePaymentTillMessage(ServiceID, amount, { ...more, header: this.#header(more.header) }),
    );
  }

  /** Gives back the money of a payment. If no amount is given, all money that is left is given back. */
  reverse(
    ServiceID: string,
    TransactionID: string,
    more: { amount?: number; sale?: object | null; header?: Header; at?: string } = {},
  ) {
    const { amount, sale = {}, header, at = '2026-01-01T00:00:00.000Z' } = more;
    const body = {
      ...(sale && { SaleData: { ...saleData(ServiceID), ...sale } }),
      OriginalPOITransaction: { POITransactionID: { TransactionID, TimeStamp: at } },
      ReversalReason: 'MerchantCancel',
      ...(amount !== undefined && { ReversedAmount: amount }),
    };
    return this.send(makeTillMessage('Reversal', ServiceID, body, this.#header(header)));
  }

  status(ServiceID: string, more: { reference?: object; request?: object } = {}) {
    const MessageReference = { MessageCategory: 'Payment', ServiceID, ...more.reference };
    return this.send(
      makeTillMessage('TransactionStatus', 'status', { MessageReference, ...more.request }, this.#header()),
    );
  }

  abort(ServiceID: string, reference: object = {}) {
    const MessageReference = { MessageCategory: 'Payment', ServiceID, ...reference };
    return this.send(
      makeTillMessage('Abort', 'abort', { AbortReason: 'MerchantAbort', MessageReference }, this.#header()),
    );
  }

  #header(header: Header = {}): Header {
    return { POIID: this.#poiId, ...header };
  }

  async send(body: unknown, path = '/sync', headers: Record<string, string> = {}) {
    const answer = await fetch(this.#url + path, {
      method: 'POST',
      headers: { 'x-api-key': this.key, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    const json = text === 'ok' || text === '' ? text : JSON.parse(text);
    return { status: answer.status, body: json, text, headers: answer.headers };
  }
}

/** Makes a message from the till POS1 to the terminal V400m-1. */
export function makeTillMessage(category: string, ServiceID: string, body: object, header: Header = {}) {
  return {
    SaleToPOIRequest: {
      MessageHeader: {
        ProtocolVersion: '3.0',
        MessageClass: 'Service',
        MessageCategory: category,
        MessageType: 'Request',
        ServiceID,
        SaleID: 'POS1',
        POIID: 'V400m-1',
        ...header,
      },
      [`${category}Request`]: body,
    },
  };
}

export function makePaymentTillMessage(
  ServiceID: string,
  amount: number,
  { header = {}, sale = {}, payment = {} }: { header?: Header; sale?: object; payment?: object } = {},
) {
  const body = {
    SaleData: { ...saleData(ServiceID), ...sale },
    PaymentTransaction: { AmountsReq: { Currency: 'EUR', RequestedAmount: amount } },
    ...payment,
  };
  return makeTillMessage('Payment', ServiceID, body, header);
}

function saleData(ServiceID: string) {
  return { SaleTransactionID: { TransactionID: `sale-${ServiceID}`, TimeStamp: '2026-01-01T00:00:00.000Z' } };
}

/** Makes a payment of 25.00, and gives the host's reference for it. */
export async function makeApprovedPayment(
  till: Till,
  terminal: TestTerminal,
  ServiceID = '1',
  amount = 25,
): Promise<string> {
  const reply = till.pay(ServiceID, amount);
  const request = await terminal.next('PaymentRequest');
  const { PspReference } = await terminal.authorize(request);
  terminal.approve(request);
  await reply;
  return PspReference;
}

export const readReversalResponse = ({
  body,
}: {
  body: { SaleToPOIResponse: { ReversalResponse: Reversal } };
}) => body.SaleToPOIResponse.ReversalResponse;

interface Reversal {
  Response: { Result: string; ErrorCondition?: string; AdditionalResponse?: string };
  ReversedAmount?: number;
}

export const readResponseMessage = ({ Response }: Reversal) =>
  new URLSearchParams(Response.AdditionalResponse).get('message');

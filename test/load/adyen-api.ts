import { makePaymentTillMessage, makeTillMessage } from '../../gateway/dialects/adyen/till.fixture.ts';
import type { PosApi, PosPayment, PosRequestKind, UnderstoodAnswer } from './pos-api.ts';

/**
 * A header with a PaymentResponse or a ReversalResponse, from the answer itself or from the answer to a status request.
 */
interface Paid {
  header: object;
  body: {
    Response: { Result: 'Success' | 'Failure'; ErrorCondition?: string; AdditionalResponse?: string };
    POIData: { POITransactionID: { TransactionID: string } };
    PaymentResult?: {
      PaymentInstrumentData: { CardData: { MaskedPan: string } };
      AmountsResp?: { TipAmount?: number };
    };
    ReversedAmount?: number;
  };
}

/** The body of a payment's or of a reversal's answer. */
interface Body {
  PaymentResponse?: Paid['body'];
  ReversalResponse?: Paid['body'];
}

interface Answered {
  SaleToPOIRequest?: { EventNotification: { EventDetails: string } };
  SaleToPOIResponse?: Body & {
    MessageHeader: object;
    TransactionStatusResponse?: {
      Response: { ErrorCondition?: string };
      RepeatedMessageResponse?: {
        MessageHeader: object;
        RepeatedResponseMessageBody: Body;
      };
    };
  };
}

/** Adyen's Terminal API (docs/adyen.md). */
export const adyenApi: PosApi = {
  name: 'adyen',
  tellsAtOnce: true,
  request: (payment, question, token) => ({
    method: 'POST',
    path: '/sync',
    headers: { 'x-api-key': token, 'content-type': 'application/json' },
    body: JSON.stringify(messageOf(payment, question)),
  }),
  understand(question, { status, text }) {
    if (status === 503) return { is: question === 'abort' ? 'done' : 'open' };
    if (status !== 200) return { is: 'wrong' };
    if (question === 'abort') return { is: text === 'ok' ? 'done' : 'wrong' };
    const { SaleToPOIRequest: event, SaleToPOIResponse: response } = JSON.parse(text) as Answered;
    if (event) return rejection(event.EventNotification.EventDetails);
    const body = response && bodyIn(response);
    if (response && body)
      return isTooMuch(body) ? { is: 'tooMuch' } : outcomeOf({ header: response.MessageHeader, body });
    const { Response, RepeatedMessageResponse: repeated } = response?.TransactionStatusResponse ?? {};
    if (repeated) {
      const { MessageHeader: header, RepeatedResponseMessageBody } = repeated;
      const repeats = bodyIn(RepeatedResponseMessageBody);
      return repeats ? outcomeOf({ header, body: repeats }) : { is: 'wrong' };
    }
    if (Response?.ErrorCondition === 'NotFound') return { is: 'unknown' };
    return { is: Response?.ErrorCondition === 'InProgress' ? 'open' : 'wrong' };
  },
  read(outcome) {
    const { Response, POIData, PaymentResult, ReversedAmount } = (JSON.parse(outcome) as Paid).body;
    return {
      failure: Response.Result === 'Success' ? undefined : Response.ErrorCondition,
      maskedPan: PaymentResult?.PaymentInstrumentData.CardData.MaskedPan,
      tip: PaymentResult?.AmountsResp?.TipAmount ?? 0,
      reference: POIData.POITransactionID.TransactionID,
      ...(ReversedAmount !== undefined && { givenBack: ReversedAmount }),
    };
  },
};

function bodyIn({ PaymentResponse, ReversalResponse }: Body): Paid['body'] | undefined {
  return PaymentResponse ?? ReversalResponse;
}

/**
 * Whether a reversal was refused because too little is left of the payment. This happens if other tills have given
 * money back, or are giving it back now.
 */
function isTooMuch({ Response }: Paid['body']): boolean {
  if (Response.ErrorCondition !== 'NotAllowed') return false;
  const message = new URLSearchParams(Response.AdditionalResponse).get('message') ?? '';
  return /was given back already|is larger than the amount that can still be given back/.test(message);
}

function outcomeOf(paid: Paid): UnderstoodAnswer {
  return { is: 'outcome', outcome: JSON.stringify(paid) };
}

function rejection(details: string): UnderstoodAnswer {
  if (details === 'message=Terminal+is+not+reachable') return { is: 'unlinked' };
  return { is: details === 'message=Did+not+receive+a+response+from+the+POI.' ? 'open' : 'wrong' };
}

/**
 * Makes the message of a payment. A repeated message has another time stamp, because tills usually build a message
 * anew.
 */
function messageOf(payment: PosPayment, question: PosRequestKind) {
  const { serviceId, till, poiId, amount, asksTip, key, gives } = payment;
  const header = { SaleID: till, POIID: poiId };
  const MessageCategory = gives?.kind === 'reversal' ? 'Reversal' : 'Payment';
  const MessageReference = { MessageCategory, ServiceID: serviceId };
  if (question === 'status')
    return makeTillMessage(
      'TransactionStatus',
      'status',
      { MessageReference, ReceiptReprintFlag: true },
      header,
    );
  if (question === 'abort')
    return makeTillMessage('Abort', 'abort', { AbortReason: 'MerchantAbort', MessageReference }, header);
  const TimeStamp = new Date().toISOString();
  const SaleTransactionID = { TransactionID: key, TimeStamp };
  if (gives?.kind === 'reversal') {
    const reversal = {
      SaleData: { SaleTransactionID },
      OriginalPOITransaction: { POITransactionID: { TransactionID: gives.reference, TimeStamp } },
      ReversalReason: 'MerchantCancel',
      ...(gives.whole ? {} : { ReversedAmount: amount / 100 }),
    };
    return makeTillMessage('Reversal', serviceId, reversal, header);
  }
  return makePaymentTillMessage(serviceId, amount / 100, {
    header,
    sale: {
      SaleTransactionID,
      SaleToAcquirerData: `${asksTip ? 'tenderOption=AskGratuity&' : ''}metadata.sale=${key}`,
    },
    ...(gives && { payment: { PaymentData: { PaymentType: 'Refund' } } }),
  });
}

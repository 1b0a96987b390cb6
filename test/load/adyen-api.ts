import { message, paymentMessage } from '../../gateway/dialects/adyen/till.fixture.ts';
import type { PosApi, PosPayment, Question, Understood } from './pos-api.ts';

/** A header and a PaymentResponse: as they came, or as a status repeats them. */
interface Paid {
  header: object;
  body: {
    Response: { Result: 'Success' | 'Failure'; ErrorCondition?: string };
    PaymentResult?: {
      PaymentInstrumentData: { CardData: { MaskedPan: string } };
      AmountsResp?: { TipAmount?: number };
    };
  };
}

interface Answered {
  SaleToPOIRequest?: { EventNotification: { EventDetails: string } };
  SaleToPOIResponse?: {
    MessageHeader: object;
    PaymentResponse?: Paid['body'];
    TransactionStatusResponse?: {
      Response: { ErrorCondition?: string };
      RepeatedMessageResponse?: {
        MessageHeader: object;
        RepeatedResponseMessageBody: { PaymentResponse: Paid['body'] };
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
    if (response?.PaymentResponse)
      return outcomeOf({ header: response.MessageHeader, body: response.PaymentResponse });
    const { Response, RepeatedMessageResponse: repeated } = response?.TransactionStatusResponse ?? {};
    if (repeated) {
      const { MessageHeader: header, RepeatedResponseMessageBody } = repeated;
      return outcomeOf({ header, body: RepeatedResponseMessageBody.PaymentResponse });
    }
    if (Response?.ErrorCondition === 'NotFound') return { is: 'unknown' };
    return { is: Response?.ErrorCondition === 'InProgress' ? 'open' : 'wrong' };
  },
  read(outcome) {
    const { Response, PaymentResult } = (JSON.parse(outcome) as Paid).body;
    return {
      failure: Response.Result === 'Success' ? undefined : Response.ErrorCondition,
      maskedPan: PaymentResult?.PaymentInstrumentData.CardData.MaskedPan,
      tip: PaymentResult?.AmountsResp?.TipAmount ?? 0,
    };
  },
};

function outcomeOf(paid: Paid): Understood {
  return { is: 'outcome', outcome: JSON.stringify(paid) };
}

function rejection(details: string): Understood {
  if (details === 'message=Terminal+is+not+reachable') return { is: 'unlinked' };
  return { is: details === 'message=Did+not+receive+a+response+from+the+POI.' ? 'open' : 'wrong' };
}

/** A payment that is sent again has another time stamp, as it has where a till makes the message anew. */
function messageOf({ serviceId, till, poiId, amount, asksTip, key }: PosPayment, question: Question) {
  const header = { SaleID: till, POIID: poiId };
  const MessageReference = { MessageCategory: 'Payment', ServiceID: serviceId };
  if (question === 'status')
    return message('TransactionStatus', 'status', { MessageReference, ReceiptReprintFlag: true }, header);
  if (question === 'abort')
    return message('Abort', 'abort', { AbortReason: 'MerchantAbort', MessageReference }, header);
  return paymentMessage(serviceId, amount / 100, {
    header,
    sale: {
      SaleTransactionID: { TransactionID: key, TimeStamp: new Date().toISOString() },
      SaleToAcquirerData: `${asksTip ? 'tenderOption=AskGratuity&' : ''}metadata.sale=${key}`,
    },
  });
}

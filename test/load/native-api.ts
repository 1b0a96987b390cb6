import type { PosApi, PosPayment, PosRequestKind } from './pos-api.ts';

interface Result {
  identifier: string;
  response: { result: 'success' | 'failure'; errorCondition?: string };
  paymentResult?: {
    paymentInstrumentData: { cardData: { maskedPan: string } };
    amountsResp?: { tipAmount?: number };
  };
}

/** The gateway's own API. */
export const nativeApi: PosApi = {
  name: 'native',
  tellsAtOnce: false,
  request: (payment, question, token) => ({
    method: question === 'status' ? 'GET' : 'POST',
    path: pathOf(payment, question),
    headers: {
      authorization: `Bearer ${token}`,
      ...(question === 'status' ? {} : { 'content-type': 'application/json' }),
      ...(question === 'send' ? { 'idempotency-key': payment.key } : {}),
    },
    ...(question === 'send' ? { body: paymentRequest(payment) } : {}),
    ...(question === 'abort' ? { body: JSON.stringify({ idempotencyKey: payment.key }) } : {}),
  }),
  understand(question, { status, text }) {
    if (question === 'abort') return { is: [204, 404, 504, 503].includes(status) ? 'done' : 'wrong' };
    if (status === 200) return { is: 'outcome', outcome: text };
    if (status === 404 && question === 'status') return { is: 'unknown' };
    return { is: [202, 303, 503].includes(status) ? 'open' : 'wrong' };
  },
  read(outcome) {
    const { identifier, response, paymentResult } = JSON.parse(outcome) as Result;
    return {
      payment: identifier,
      failure: response.result === 'success' ? undefined : response.errorCondition,
      maskedPan: paymentResult?.paymentInstrumentData.cardData.maskedPan,
      tip: paymentResult?.amountsResp?.tipAmount ?? 0,
    };
  },
};

function pathOf({ terminalId, key }: PosPayment, question: PosRequestKind): string {
  if (question === 'send') return `/terminals/${terminalId}/payment-request`;
  if (question === 'abort') return '/payment-requests/abort';
  return `/payment-requests/status?idempotencyKey=${key}`;
}

function paymentRequest({ amount, pos, asksTip }: PosPayment): string {
  return JSON.stringify({
    paymentTransaction: { amountsReq: { requestedAmount: amount / 100 } },
    saleData: { saleReferenceId: pos },
    gratuity: { enabled: asksTip },
  });
}

import { expect, test } from 'vitest';
import { describeAnswer, describeNexoMessage, describeRequest } from './exchange-words.ts';

/** Requests, answers and messages, each as one line (B265). */

const id = '019b78c9-0a80-7000-8000-0ab6c0ee9b5e';

test.each([
  [
    {
      method: 'POST',
      path: `/terminals/${id}/payment-request`,
      headers: { 'idempotency-key': '0a80-7000-8000-f3a1' },
      body: {
        paymentTransaction: { amountsReq: { requestedAmount: 12.5 } },
        saleData: { saleReferenceId: 'sale-7KQ2' },
      },
    },
    'POST payment-request 12.5, sale-7KQ2, key …f3a1',
  ],
  [
    { method: 'GET', path: '/payment-requests/status?idempotencyKey=k-1' },
    'GET /payment-requests/status, key k-1',
  ],
  [
    { method: 'POST', path: '/payment-requests/abort', body: { transactionId: id } },
    'POST /payment-requests/abort, payment …9b5e',
  ],
  [
    { method: 'POST', path: `/debit/${id}/refunds`, body: { amount: '3.00' } },
    'POST /debit/…9b5e/refunds 3.00',
  ],
  [{ method: 'POST', path: `/terminals/${id}/payment-request`, body: 'no JSON' }, 'POST payment-request'],
  [{ method: 'POST', path: '/x', body: { saleData: { saleReferenceId: 7 }, amount: {} } }, 'POST /x'],
])('the text of a request gives its amount, reference and key: %j', (request, words) => {
  expect(describeRequest(request, '…')).toBe(words);
});

const approved = {
  response: {
    result: 'success',
    additionalResponse: { posAuthAmountValue: '1180', posAuthAmountCurrency: 'EUR' },
  },
};
const refused = {
  response: {
    result: 'failure',
    errorCondition: 'wrongPin',
    additionalResponse: { refusalReason: '128 PIN tries exceeded' },
  },
};

test.each([
  [{ status: 200, durationMs: 9_700, body: approved }, '200 approved EUR 11.80 after 9.7 s'],
  [
    { status: 200, durationMs: 12, body: refused },
    '200 not approved: wrongPin: PIN tries exceeded (128) after 12 ms',
  ],
  [{ status: 404, durationMs: 1, body: { error: 'notFound' } }, '404 notFound after 1 ms'],
  [
    { status: 303, durationMs: 150_000, headers: { Location: `/x/${id}`, 'Retry-After': '2' } },
    '303 after 150.0 s, to /x/…9b5e, ask again after 2 s',
  ],
  [{ status: 204, durationMs: 0 }, '204 after 0 ms'],
])('the text of an answer gives its result: %j', (answer, words) => {
  expect(describeAnswer(answer, '…')).toBe(words);
});

const display = (...events: string[]) => ({
  DisplayOutput: events.map((event) => ({
    OutputContent: { PredefinedContent: { ReferenceID: `TransactionID=V4&event=${event}` } },
  })),
});

test.each([
  ['DisplayRequest', display('CARD_INSERTED', 'PIN_ENTERED'), 'card inserted, PIN entered'],
  [
    'PaymentRequest',
    {
      PaymentTransaction: { AmountsReq: { Currency: 'EUR', RequestedAmount: 10 } },
      SaleData: { SaleReferenceID: 's' },
    },
    'PaymentRequest EUR 10, s',
  ],
  [
    'PaymentResponse',
    {
      Response: {
        Result: 'Success',
        AdditionalResponse: 'posAuthAmountCurrency=EUR&posAuthAmountValue=1180',
      },
    },
    'PaymentResponse approved EUR 11.80',
  ],
  [
    'PaymentResponse',
    {
      Response: {
        Result: 'Failure',
        ErrorCondition: 'Refusal',
        AdditionalResponse: 'refusalReason=210%20Not%20enough%20balance',
      },
    },
    'PaymentResponse not approved: Refusal: Not enough balance (210)',
  ],
  [
    'PaymentRequest',
    {
      PaymentData: { PaymentType: 'Refund' },
      PaymentTransaction: { AmountsReq: { Currency: 'EUR', RequestedAmount: 10 } },
      SaleData: { SaleReferenceID: 's' },
    },
    'PaymentRequest refund, EUR 10, s',
  ],
  ['ReversalRequest', { SaleData: { SaleReferenceID: 's' }, ReversedAmount: 4.5 }, 'ReversalRequest 4.5, s'],
  [
    'ReversalResponse',
    {
      Response: {
        Result: 'Success',
        AdditionalResponse: 'posAuthAmountCurrency=EUR&posAuthAmountValue=450',
      },
    },
    'ReversalResponse approved EUR 4.50',
  ],
  ['AcquirerRequest', { Type: 'Refund', Currency: 'EUR', Amount: 450 }, 'Refund EUR 4.50'],
  ['AcquirerRequest', { Type: 'Authorize', Currency: 'EUR', TotalAmount: 1_180 }, 'Authorize EUR 11.80'],
  [
    'AcquirerResponse',
    { Type: 'Authorize', Approved: true, AuthCode: '041619' },
    'Authorize: approved, code 041619',
  ],
  [
    'AcquirerResponse',
    { Type: 'Authorize', Approved: false, RefusalReason: '210 Not enough balance' },
    'Authorize: declined, Not enough balance (210)',
  ],
  ['AcquirerResponse', { Type: 'Reverse' }, 'Reverse'],
  ['AbortRequest', {}, 'AbortRequest'],
  ['DisplayRequest', undefined, 'DisplayRequest'],
  ['constructor', undefined, 'constructor'],
])('the text of a message gives its content: %s %j', (message, body, words) => {
  expect(describeNexoMessage({ message, body })).toBe(words);
});

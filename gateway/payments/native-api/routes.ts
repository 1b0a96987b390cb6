import {
  type Answer,
  type AnyEndpoint,
  describeResponse,
  makeEndpointDefiner,
  type ResponseDescription,
} from '../../http/endpoint.ts';
import type { Services } from '../../services.ts';
import type { PaymentSoFar } from '../moving/payment-so-far.ts';
import { approvedExample, declinedExample } from './examples.ts';
import { hashRequest } from './idempotency.ts';
import { prefersAsync } from './prefer.ts';
import { checkAmounts, paymentOrderOf } from './request-mapping.ts';
import { transactionResultJson } from './result-mapping.ts';
import {
  abortBodySchema,
  inProgressAnswerSchema,
  paymentHeadersSchema,
  paymentRequestBodySchema,
  statusQuerySchema,
  terminalIdParamsSchema,
  transactionResultSchema,
} from './schemas.ts';

const concluded: ResponseDescription = describeResponse(
  'The payment concluded. If it was declined, the status is also 200, and `response.result` is `failure`',
  transactionResultSchema,
  { approved: approvedExample, declined: declinedExample },
);
const location = {
  Location:
    'The path /payment-requests/status with the transactionId. Ask there again and again until the payment concludes',
};
const polling: ResponseDescription = {
  description: 'The payment is still in progress after 30 seconds',
  schema: inProgressAnswerSchema,
  headers: { 'Retry-After': 'The number of seconds to wait before asking again' },
};
const endpoint = makeEndpointDefiner({
  tag: 'Terminal payments',
  guard: 'token',
  sandboxOnly: true,
  holds: true,
});

/** The operations of terminal payments (B5, B11, B41–B53). */
export function paymentEndpoints({ payments }: Services): AnyEndpoint[] {
  return [
    endpoint({
      route: 'POST /terminals/{terminalId}/payment-request',
      operationId: 'requestPayment',
      summary: 'Collect a payment on a terminal',
      description:
        'The request is held open until the transaction concludes. Client timeouts must exceed 190 seconds. ' +
        'A request with the Idempotency-Key, body and terminal of an earlier request gets the outcome of that request, without a new payment.',
      params: terminalIdParamsSchema,
      headers: paymentHeadersSchema,
      body: paymentRequestBodySchema,
      bodyExamples: {
        minimum: { paymentTransaction: { amountsReq: { requestedAmount: 25.5 } } },
        withTip: {
          paymentTransaction: { amountsReq: { requestedAmount: 25.5 } },
          saleData: { saleReferenceId: 'order-1001' },
          gratuity: { enabled: true, options: [{ type: 'percentage', value: 10 }, { type: 'custom' }] },
        },
      },
      responses: {
        200: concluded,
        202: {
          description:
            'The gateway accepted the payment request. Only a request with Prefer: respond-async gets this answer',
          schema: inProgressAnswerSchema,
          headers: { ...location, 'Preference-Applied': 'respond-async' },
        },
        303: {
          description: 'The payment is still in progress after 150 seconds',
          schema: inProgressAnswerSchema,
          headers: location,
        },
      },
      errors: [
        'invalidAmount',
        'terminalNotFound',
        'idempotencyKeyReused',
        'payoutAccountMissing',
        'amountExceedsTransactionLimit',
        'gratuityExceedsTransactionLimit',
      ],
      handle: async (call) => {
        const { caller, params, body, json, unknownFields, headers, requestId } = call;
        checkAmounts(body);
        const { terminalId } = params;
        const key = headers['idempotency-key'];
        const accepted = await payments.accept(
          {
            kind: 'payment',
            caller,
            terminalId,
            requestId,
            unknownFields,
            key: key === undefined ? undefined : { key, fingerprint: hashRequest(terminalId, json) },
            read: (account) => paymentOrderOf(body, account),
          },
          call,
        );
        if (prefersAsync(headers.prefer))
          return goesOn(202, accepted.id, { 'Preference-Applied': 'respond-async' });
        const held = accepted.outcome ? accepted : await payments.hold(accepted, call);
        return concludedAnswer(held) ?? goesOn(303, held.id);
      },
    }),
    endpoint({
      route: 'GET /payment-requests/status',
      operationId: 'getPaymentStatus',
      summary: 'Get the outcome of a payment request',
      description:
        'Make this call after a 303 and after any interruption. While the payment is in progress, the call is held for up to 30 seconds.',
      query: statusQuerySchema,
      responses: { 200: concluded, 202: polling },
      errors: ['notFound'],
      handle: async (call) => polled(await payments.status(call.caller, call.query, call)),
    }),
    endpoint({
      route: 'GET /terminals/{terminalId}/payment-request',
      operationId: 'getLatestPayment',
      summary: 'Get the outcome of the most recent request on a terminal',
      description:
        'Requests of the last 48 hours are found. While the payment is in progress, the call is held for up to 30 seconds.',
      params: terminalIdParamsSchema,
      responses: { 200: concluded, 202: polling },
      errors: ['terminalNotFound', 'notFound'],
      handle: async (call) => polled(await payments.latest(call.caller, call.params.terminalId, call)),
    }),
    endpoint({
      route: 'POST /payment-requests/abort',
      operationId: 'abortPayment',
      summary: 'Abort a payment request',
      description:
        'The answer says only that the abort has reached the terminal. Ask for the status to see how the payment ended.',
      body: abortBodySchema,
      bodyExamples: { byKey: { idempotencyKey: '8a3f0a5e-7a0a-4d0c-9d0e-0d3f6a1c2b4d' } },
      responses: { 204: { description: 'The abort reached the terminal, or there was nothing to abort' } },
      errors: ['notFound', 'terminalUnreachable'],
      gives: (call) => payments.abort(call.caller, call.body, call),
    }),
    endpoint({
      route: 'POST /terminals/{terminalId}/payment-request/abort',
      operationId: 'abortLatestPayment',
      summary: 'Abort the most recent request on a terminal',
      description:
        'The answer says only that the abort has reached the terminal. Ask for the status to see how the payment ended.',
      params: terminalIdParamsSchema,
      responses: { 204: { description: 'The abort reached the terminal, or there was nothing to abort' } },
      errors: ['terminalNotFound', 'notFound', 'terminalUnreachable'],
      gives: (call) => payments.abortLatest(call.caller, call.params.terminalId, call),
    }),
  ];
}

/**
 * Makes the answer for a payment that is still in progress. The answer has the address of the payment's status (B41,
 * B43, B46).
 */
function goesOn(status: 202 | 303, identifier: string, headers: Record<string, string> = {}): Answer {
  const location = `/payment-requests/status?transactionId=${identifier}`;
  return { status, body: { identifier, status: 'inProgress' }, headers: { Location: location, ...headers } };
}

function polled(payment: PaymentSoFar): Answer {
  const body = { identifier: payment.id, status: 'inProgress' };
  return concludedAnswer(payment) ?? { status: 202, body, headers: { 'Retry-After': '1' } };
}

function concludedAnswer({ id, outcome }: PaymentSoFar): Answer | undefined {
  return outcome && { status: 200, text: `${transactionResultJson(outcome)}\n`, outcomeOf: id };
}

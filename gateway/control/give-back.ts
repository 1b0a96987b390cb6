import { hash } from 'node:crypto';
import { z } from 'zod';
import { stringifyCanonicalJson } from '../../shared/canonical-json.ts';
import { convertToMinorAmount } from '../http/amounts.ts';
import { type AnyEndpoint, type CheckedRequest, defineEndpoint } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import { amountToGiveBack } from '../payments/amount-to-give-back.ts';
import type { OrderReader } from '../payments/core/order.ts';
import { paymentSummarySchema } from '../payments/payment-summary.ts';
import type { Services } from '../services.ts';
import { exampleIds } from './examples.ts';
import { examplePaymentSummary } from './payments.ts';
import { requireTerminal, terminalParamsSchema } from './terminal-params.ts';

const giveBackBody = z
  .object({
    payment: z.uuid().optional().meta({
      description:
        'The payment to reverse. A reversal needs no card. Without a payment, the amount goes to the card that is presented',
    }),
    amount: z.number().optional().meta({
      description:
        'The amount in major units. If there is a payment but no amount, everything that is left of the payment is given back. Without a payment, the amount is required',
    }),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'must be three capital letters (ISO 4217)')
      .optional()
      .meta({
        description:
          'The currency. It must be the currency of the payment or, without a payment, the currency of the account',
      }),
    customerLanguage: z
      .string()
      .regex(/^[a-z]{2}$/, 'must be two lower-case letters (ISO 639-1)')
      .optional()
      .meta({ description: 'The language of screens and receipt, as in a payment request' }),
    wait: z.boolean().default(false).meta({
      description:
        'Whether the answer waits until the reversal or refund has concluded. The longest possible wait is the same as for a payment request',
    }),
  })
  .meta({ id: 'GiveBack', description: 'Money to give back at a terminal' });
type GiveBack = z.output<typeof giveBackBody>;

const headers = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable characters')
    .optional()
    .meta({ description: 'A key that is unique for each reversal or refund, such as a UUID' }),
});
type Call = CheckedRequest<{ terminalId: string }, undefined, z.output<typeof headers>, GiveBack>;

const exampleReversal = {
  ...examplePaymentSummary,
  identifier: '01b2f3a4-9100-7000-8000-00000000000b',
  kind: 'reversal',
  original: exampleIds.payment,
  givenBack: 0,
  amount: 28.05,
  tip: null,
  saleReferenceId: null,
};
const where = {
  Location: 'The path /control/payments/{paymentId}, which shows the present state of the reversal or refund',
};

/** Makes the endpoint that gives money back at a terminal. It is for a POS whose own API has no such call (B500). */
export function giveBackEndpoints({ terminals, payments, explanations }: Services): AnyEndpoint[] {
  const handle = async (call: Call) => {
    const { id, accountId, environment } = requireTerminal(terminals, call.params.terminalId);
    if (environment === 'production') throw new ApiError('notImplemented');
    const accepted = await payments.accept(
      {
        ...orderOf(call.body),
        caller: { tokenId: 'control', accountId, environment },
        terminalId: id,
        requestId: call.requestId,
        unknownFields: call.unknownFields,
        key: keyOf(id, call),
      },
      call,
    );
    if (call.body.wait && !accepted.outcome) await payments.hold(accepted, call);
    const body = await explanations.summary(accepted.id);
    const status = body.state === 'concluded' ? 200 : 202;
    return { status, body, headers: { Location: `/control/payments/${accepted.id}` } };
  };
  return [
    defineEndpoint({
      route: 'POST /control/terminals/{terminalId}/refund',
      operationId: 'controlRefund',
      tag: 'Control: payments',
      guard: 'control',
      summary: 'Give money back at a terminal',
      description:
        'With `payment`, the call gives back money of that payment without a card (a reversal): everything that is left, or `amount`. ' +
        'Without `payment`, the call pays an amount to the card that is presented (a refund). ' +
        'The reversal or refund belongs to the account of the terminal. A request with the Idempotency-Key, body and terminal of an earlier request returns the reversal or refund of that request.',
      params: terminalParamsSchema,
      headers,
      body: giveBackBody,
      bodyExamples: {
        whole: { payment: exampleIds.payment },
        part: { payment: exampleIds.payment, amount: 10, wait: true },
        toACard: { amount: 10 },
      },
      responses: {
        200: {
          description:
            'The reversal or refund concluded. If the host or the terminal refused it, the status is also 200, and `result` is `failure`',
          schema: paymentSummarySchema,
          headers: where,
          examples: { whole: exampleReversal },
        },
        202: {
          description: 'Under way',
          schema: paymentSummarySchema,
          headers: where,
          examples: { whole: { ...exampleReversal, ...underWay } },
        },
      },
      errors: [
        'invalidAmount',
        'terminalNotFound',
        'notImplemented',
        'olderGateway',
        'idempotencyKeyReused',
        'originalNotFound',
        'originalNotReversible',
        'alreadyGivenBack',
        'amountExceedsRest',
        'currencyMismatch',
        'payoutAccountMissing',
        'amountExceedsTransactionLimit',
      ],
      handle,
    }),
  ];
}

const underWay = { state: 'onTerminal', total: null, concludedAt: null, result: null, reason: null };

/**
 * Makes the payment's idempotency key. The key begins with a line break. No key of the native API begins with a line
 * break (B58), so a search by key in that API never finds this payment (B502).
 */
function keyOf(terminalId: string, { headers, json }: Call) {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  const fingerprint = hash('sha256', stringifyCanonicalJson({ terminalId, json }), 'base64url');
  return { key: `\ncontrol ${key}`, fingerprint };
}

function orderOf({ payment, amount, currency, customerLanguage: CustomerLanguage }: GiveBack): OrderReader {
  const conditions = CustomerLanguage === undefined ? undefined : { CustomerLanguage };
  const usual = { tips: undefined, conditions, saleReference: undefined };
  if (payment !== undefined)
    return {
      kind: 'reversal',
      reverses: { id: payment },
      read: (_, original) => {
        const part =
          amount === undefined ? undefined : convertToMinorAmount(amount, original.currency, 'amount');
        const toGive = amountToGiveBack(original, { amount: part, currency });
        return { ...usual, original, amount: toGive, currency: original.currency };
      },
    };
  if (amount === undefined)
    throw new ApiError('invalidRequest', {
      details: [{ path: 'amount', message: 'is required unless a payment is named' }],
    });
  return {
    kind: 'refund',
    read: (account) => {
      if (currency !== undefined && currency !== account.currency)
        throw new ApiError('currencyMismatch', {
          message: `This account takes ${account.currency}, not ${currency}`,
        });
      return {
        ...usual,
        amount: convertToMinorAmount(amount, account.currency, 'amount'),
        currency: account.currency,
      };
    },
  };
}

import { z } from 'zod';
import { outcomeToldStates } from '../../shared/sales/sale.ts';
import { describeToldState } from '../../shared/sales/told-text.ts';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import { explanationSchema } from '../payments/explain.ts';
import { approvedExample } from '../payments/native-api/examples.ts';
import { paymentSummarySchema } from '../payments/payment-summary.ts';
import type { Services } from '../services.ts';
import { exampleAuthorizationEntry, exampleIds } from './examples.ts';
import { makePageQueryFields } from './page-query.ts';
import { requireTerminal } from './terminal-params.ts';

export const examplePaymentSummary = {
  identifier: approvedExample.identifier,
  kind: 'payment',
  original: null,
  accountId: 'demo-shop',
  environment: 'sandbox',
  terminalId: exampleIds.terminal,
  poiId: exampleIds.poiId,
  amount: 25.5,
  tip: 2.55,
  total: 28.05,
  givenBack: 0,
  currency: 'EUR',
  idempotencyKey: null,
  saleReferenceId: 'order-1001',
  state: 'concluded',
  acceptedAt: '2026-01-01T09:00:00.000Z',
  deliveredAt: '2026-01-01T09:00:00.000Z',
  abortRequestedAt: null,
  deadlineAt: null,
  concludedAt: '2026-01-01T09:00:09.000Z',
  result: 'success',
  errorCondition: null,
  reason: 'the terminal answers approved',
};

const exampleExplanation = {
  ...examplePaymentSummary,
  decidedBy: 'host',
  rule: 'default',
  why: 'no rule declines the payment',
  outcomeSet: null,
  ledger: [exampleAuthorizationEntry],
  answer: approvedExample,
  warnings: [],
  sale: approvedExample.identifier,
  told: 'told',
  toldWhy:
    'told: the answer to POST /terminals/01b2f3a4-1c00-7000-8000-000000000003/payment-request at 2026-01-01T09:00:09.000Z was sent in full',
};
const told = {
  sale: z.string().meta({ description: 'The saleId of the sale to which the payment belongs' }),
  told: z.enum(outcomeToldStates),
  toldWhy: z.string().meta({
    description: 'A text that says whether the POS received the outcome, and how the gateway knows this',
  }),
};
const explained = explanationSchema.extend(told).meta({ id: 'Explanation' });

const paymentQuery = z.object({
  terminal: z.string().optional().meta({ description: "A terminal's identifier or poi_id" }),
  ...makePageQueryFields('payment'),
});

/** Makes the endpoints that show the payments of all accounts, with their states and the reasons for their results. */
export function paymentControlEndpoints({ terminals, explanations, sales }: Services): AnyEndpoint[] {
  const endpoint = makeEndpointDefiner({ tag: 'Control: payments', guard: 'control' });
  const explain = async (paymentId: string) => {
    const explanation = await explanations.explain(paymentId);
    const sale = await sales.find(paymentId);
    const attempt = sale.attempts.find(({ payment }) => payment === paymentId);
    const toldWhy = describeToldState(sale, paymentId);
    return { ...explanation, sale: sale.saleId, told: attempt?.told ?? 'unknown', toldWhy };
  };
  return [
    endpoint({
      route: 'GET /control/payments',
      operationId: 'controlListPayments',
      summary: 'List payments, reversals and refunds, latest first',
      query: paymentQuery,
      responses: {
        200: describeResponse('Payments', z.array(paymentSummarySchema), { one: [examplePaymentSummary] }),
      },
      errors: ['terminalNotFound'],
      gives: ({ query: { terminal, before, limit } }) =>
        explanations.list({
          limit,
          before: before?.toLowerCase(),
          ...(terminal === undefined ? {} : { terminal: requireTerminal(terminals, terminal) }),
        }),
    }),
    endpoint({
      route: 'GET /control/payments/{paymentId}',
      operationId: 'controlExplainPayment',
      summary: 'Explain a payment, a reversal or a refund',
      description:
        "Returns the states and times of the payment, the rule that decided the outcome, the reason in words, the acquirer's entries, and warnings.",
      params: z.object({ paymentId: z.string() }),
      responses: { 200: describeResponse('The payment', explained, { approved: exampleExplanation }) },
      errors: ['notFound'],
      gives: ({ params }) => explain(params.paymentId.toLowerCase()),
    }),
  ];
}

import { z } from 'zod';
import { type AnyEndpoint, endpoint } from '../http/endpoint.ts';
import { explanation, paymentSummary } from '../payments/explain.ts';
import { approvedExample } from '../payments/native-api/examples.ts';
import type { Services } from '../services.ts';
import { exampleAuthorization, exampleIds } from './examples.ts';
import { pageQuery } from './page-query.ts';
import { terminalOf } from './terminal-of.ts';

const exampleSummary = {
  identifier: approvedExample.identifier,
  accountId: 'demo-shop',
  environment: 'sandbox',
  terminalId: exampleIds.terminal,
  poiId: exampleIds.poiId,
  amount: 25.5,
  tip: 2.55,
  total: 28.05,
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
  ...exampleSummary,
  decidedBy: 'host',
  rule: 'default',
  why: 'no rule declines it',
  outcomeSet: null,
  ledger: [exampleAuthorization],
  answer: approvedExample,
  warnings: [],
};
const paymentQuery = z.object({
  terminal: z.string().optional().meta({ description: "A terminal's identifier or poi_id" }),
  ...pageQuery('payment'),
});

/** Payments as the operator sees them: of every account, with their states, and why they ended as they did. */
export function paymentControlEndpoints({
  terminals,
  explanations,
}: Pick<Services, 'terminals' | 'explanations'>): AnyEndpoint[] {
  const common = { tag: 'Control: payments', guard: 'control' } as const;
  return [
    endpoint({
      ...common,
      method: 'get',
      path: '/control/payments',
      operationId: 'controlListPayments',
      summary: 'List payments, latest first',
      query: paymentQuery,
      responses: {
        200: {
          description: 'Payments',
          schema: z.array(paymentSummary),
          examples: { one: [exampleSummary] },
        },
      },
      errors: ['terminalNotFound'],
      handle: async ({ query: { terminal, before, limit } }) => ({
        status: 200,
        body: await explanations.list({
          limit,
          before: before?.toLowerCase(),
          ...(terminal === undefined ? {} : { terminal: terminalOf(terminals, terminal) }),
        }),
      }),
    }),
    endpoint({
      ...common,
      method: 'get',
      path: '/control/payments/{paymentId}',
      operationId: 'controlExplainPayment',
      summary: 'Explain a payment',
      description:
        "Its states and times, the rule that decided it and why in words, the acquirer's entries, warnings.",
      params: z.object({ paymentId: z.string() }),
      responses: {
        200: { description: 'The payment', schema: explanation, examples: { approved: exampleExplanation } },
      },
      errors: ['notFound'],
      handle: async ({ params }) => ({
        status: 200,
        body: await explanations.explain(params.paymentId.toLowerCase()),
      }),
    }),
  ];
}

import { z } from 'zod';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { controlRefundSchema, exampleControlRefund, makeControlRefundView } from './debit-view.ts';

const endpoint = makeEndpointDefiner({ tag: 'Control: saved cards', guard: 'control' });
const refundParams = z.object({ refundId: z.string().meta({ example: exampleControlRefund.id }) });
const failBody = z
  .object({ reason: z.string().min(1).max(200).default('failed by a test') })
  .meta({ id: 'FailRefund' });
const refund200 = (example: object) => ({
  200: describeResponse('The refund', controlRefundSchema, { refund: example }),
});

/**
 * Makes the endpoints by which a test changes a refund that is being processed: the refund becomes `submitted`, or it
 * fails (B89).
 */
export function refundControlEndpoints({ refunds }: Services): AnyEndpoint[] {
  return [
    endpoint({
      route: 'POST /control/refunds/{refundId}/submit',
      operationId: 'controlSubmitRefund',
      summary: "Send a refund to the customer's bank now",
      params: refundParams,
      responses: refund200(exampleControlRefund),
      errors: ['notFound', 'conflict'],
      gives: async ({ params }) => makeControlRefundView(await refunds.submit(params.refundId)),
    }),
    endpoint({
      route: 'POST /control/refunds/{refundId}/fail',
      operationId: 'controlFailRefund',
      summary: 'Fail a refund',
      description:
        'A refund that is being processed fails at once. If the refund was already submitted, the bank rejects it. The amount can be refunded again.',
      params: refundParams,
      body: failBody,
      bodyOptional: true,
      bodyExamples: { accountClosed: { reason: "the customer's account is closed" } },
      responses: refund200({
        ...exampleControlRefund,
        status: 'failed',
        why: "the customer's account is closed",
        failedAt: '2026-01-02T09:00:00.000Z',
      }),
      errors: ['notFound', 'conflict'],
      gives: async ({ params, body }) =>
        makeControlRefundView(await refunds.fail(params.refundId, body?.reason ?? 'failed by a test')),
    }),
  ];
}

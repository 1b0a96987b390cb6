import { z } from 'zod';
import { eventTypeSchema, storedEventViewSchema } from '../events/schemas.ts';
import { makeEventView } from '../events/stored-event.ts';
import { type AnyEndpoint, defineEndpoint, describeResponse } from '../http/endpoint.ts';
import { exampleRefund, exampleRefundSummary } from '../refunds/schemas.ts';
import type { Services } from '../services.ts';
import { makePageQueryFields } from './page-query.ts';

const exampleEvent = {
  id: '019b78ce-9280-7000-8000-5f3759df0005',
  accountId: 'demo-shop',
  environment: 'sandbox',
  type: 'payments.refunds.created',
  resourceId: exampleRefund.id,
  createdAt: '2026-01-01T09:05:00.000Z',
  data: {
    refundId: exampleRefund.id,
    transactionId: exampleRefundSummary.transaction_id,
    status: 'processing',
    amount: '10.00',
    reason: 'customer_request',
  },
};
const eventQuery = z.object({
  accountId: z.string().optional(),
  type: eventTypeSchema.optional(),
  resourceId: z.string().optional().meta({ description: 'A debit, refund or credit' }),
  ...makePageQueryFields('event'),
});

/** Makes the endpoint that lists all events, whether they were delivered or not. */
export function eventEndpoints({ events }: Services): AnyEndpoint[] {
  return [
    defineEndpoint({
      route: 'GET /control/events',
      operationId: 'controlListEvents',
      tag: 'Control: events',
      guard: 'control',
      summary: 'List events, latest first',
      query: eventQuery,
      responses: { 200: describeResponse('Events', z.array(storedEventViewSchema), { one: [exampleEvent] }) },
      gives: async ({ query }) => (await events.list(query)).map(makeEventView),
    }),
  ];
}

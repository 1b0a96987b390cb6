import { z } from 'zod';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import { parkCallDuring } from '../http/parked.ts';
import type { Services } from '../services.ts';
import { deliveryStates } from '../store/rows/webhooks.ts';
import {
  webhookChangesSchema,
  webhookDeliverySchema,
  webhookInputSchema,
  webhookSchema,
} from '../webhooks/schemas.ts';
import { accountQuerySchema, makePageQueryFields } from './page-query.ts';

const createdAt = '2026-01-01T09:00:00.000Z';
const exampleWebhook = {
  id: 'pos-webhook',
  accountId: 'demo-shop',
  environment: 'sandbox',
  url: 'https://pos.example.com/webhooks',
  types: null,
  description: '',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  formerSecretUntil: null,
  enabled: true,
  disabledWhy: null,
  createdAt,
};
const exampleDelivery = {
  id: '019b78ce-9280-7000-8000-5f3759df0006',
  webhookId: 'pos-webhook',
  eventId: '019b78ce-9280-7000-8000-5f3759df0005',
  type: 'payments.refunds.created',
  resourceId: '019b78ce-9280-7000-8000-5f3759df0004',
  state: 'pending',
  why: 'the receiver answered 500',
  nextAttemptAt: '2026-01-01T09:05:05.000Z',
  createdAt,
  endedAt: null,
  attempts: [{ at: createdAt, durationMs: 12, by: 'schedule', status: 500, error: null, answer: 'oops' }],
};

const endpoint = makeEndpointDefiner({
  tag: 'Control: webhooks',
  guard: 'control',
  journaled: 'withoutBodies',
});
const webhookParams = z.object({ webhookId: z.string() });
const rotation = webhookInputSchema.pick({ secret: true }).meta({ id: 'RotateWebhookSecret' });
const probed = z
  .object({
    status: z.int().nullable().meta({ description: 'The status of the answer; null if there was no answer' }),
    error: z.string().nullable(),
    verified: z.boolean().nullable().meta({
      description: 'Whether the receiver refused the message; null if there was no answer',
    }),
  })
  .meta({ id: 'WebhookProbe' });
const deliveryQuery = z.object({
  webhookId: z.string().optional(),
  eventId: z.uuid().optional(),
  resourceId: z.string().optional().meta({ description: 'A debit, refund or credit' }),
  state: z.enum(deliveryStates).optional(),
  ...makePageQueryFields('delivery'),
});
const webhook200 = describeResponse('The webhook', webhookSchema, { one: exampleWebhook });

/** Makes the endpoints of webhooks, and of the log of the messages that were sent to webhooks (B106–B110). */
export function webhookEndpoints(services: Services): AnyEndpoint[] {
  return [...registration(services), ...deliveryLog(services), probeEndpoint(services)];
}

function registration({ webhooks }: Services): AnyEndpoint[] {
  return [
    endpoint({
      route: 'GET /control/webhooks',
      operationId: 'controlListWebhooks',
      summary: 'List webhooks, with their secrets',
      query: accountQuerySchema,
      responses: { 200: describeResponse('Webhooks', z.array(webhookSchema), { one: [exampleWebhook] }) },
      gives: ({ query }) => webhooks.list(query.accountId),
    }),
    endpoint({
      route: 'POST /control/webhooks',
      operationId: 'controlCreateWebhook',
      summary: 'Create a webhook',
      description:
        'The webhook gets events from now on. If a webhook with this id exists, it is updated instead, and keeps its secret.',
      body: webhookInputSchema,
      bodyExamples: {
        all: { accountId: 'demo-shop', url: 'http://127.0.0.1:3000/webhooks' },
        some: {
          accountId: 'demo-shop',
          url: 'https://pos.example.com/webhooks',
          types: ['payments.refunds.failed'],
        },
      },
      responses: { 201: webhook200 },
      errors: ['notFound', 'conflict'],
      gives: ({ body }) => webhooks.create(body),
    }),
    endpoint({
      route: 'GET /control/webhooks/{webhookId}',
      operationId: 'controlGetWebhook',
      summary: 'Get a webhook',
      params: webhookParams,
      responses: { 200: webhook200 },
      errors: ['notFound'],
      gives: ({ params }) => webhooks.get(params.webhookId),
    }),
    endpoint({
      route: 'PATCH /control/webhooks/{webhookId}',
      operationId: 'controlUpdateWebhook',
      summary: 'Change a webhook, disable it or enable it again',
      description:
        'Disabling a webhook ends its pending deliveries. Events that occur while it is disabled are not sent later.',
      params: webhookParams,
      body: webhookChangesSchema,
      bodyExamples: { disable: { enabled: false }, filter: { types: ['payments.debits.paid'] } },
      responses: { 200: webhook200 },
      errors: ['notFound'],
      gives: ({ params, body }) => webhooks.update(params.webhookId, body),
    }),
    endpoint({
      route: 'DELETE /control/webhooks/{webhookId}',
      operationId: 'controlDeleteWebhook',
      summary: 'Delete a webhook',
      description: 'The pending deliveries of the webhook end. The log of its deliveries stays.',
      params: webhookParams,
      responses: { 204: { description: 'Deleted' } },
      errors: ['notFound'],
      gives: ({ params }) => webhooks.delete(params.webhookId),
    }),
    endpoint({
      route: 'POST /control/webhooks/{webhookId}/rotate-secret',
      operationId: 'controlRotateWebhookSecret',
      summary: 'Rotate the secret of a webhook',
      description:
        'For a day, messages are signed with both secrets, so that the receiver can switch at any time.',
      params: webhookParams,
      body: rotation,
      bodyOptional: true,
      bodyExamples: { chosen: { secret: exampleWebhook.secret } },
      responses: {
        200: {
          ...webhook200,
          examples: { one: { ...exampleWebhook, formerSecretUntil: '2026-01-02T09:00:00.000Z' } },
        },
      },
      errors: ['notFound'],
      gives: ({ params, body }) => webhooks.rotateSecret(params.webhookId, body?.secret),
    }),
  ];
}

function probeEndpoint({ deliveries }: Services): AnyEndpoint {
  return endpoint({
    route: 'POST /control/webhooks/{webhookId}/probe',
    operationId: 'controlProbeWebhook',
    summary: 'Send the receiver a message with a wrong signature',
    description:
      'A receiver has to refuse the message. A receiver that answers 2xx does not check signatures. The message is not an event, so no log of deliveries contains it.',
    params: webhookParams,
    responses: {
      200: describeResponse('The answer of the receiver', probed, {
        refused: { status: 401, error: null, verified: true },
      }),
    },
    errors: ['notFound'],
    gives: async (call) => {
      const probing = parkCallDuring(call, () => deliveries.probe(call.params.webhookId));
      const { status = null, error = null } = await probing;
      return { status, error, verified: status === null ? null : status < 200 || status > 299 };
    },
  });
}

function deliveryLog({ deliveries }: Services): AnyEndpoint[] {
  return [
    endpoint({
      route: 'GET /control/webhook-deliveries',
      operationId: 'controlListWebhookDeliveries',
      summary: 'List deliveries, latest first, with every attempt',
      query: deliveryQuery,
      responses: {
        200: describeResponse('Deliveries', z.array(webhookDeliverySchema), { one: [exampleDelivery] }),
      },
      gives: ({ query }) => deliveries.list(query),
    }),
    endpoint({
      route: 'POST /control/webhook-deliveries/{deliveryId}/replay',
      operationId: 'controlReplayWebhookDelivery',
      summary: 'Send an event again',
      description:
        'This call works in every state of the delivery. The gateway sends the event to the webhook again, and answers this call when that attempt has ended. If the attempt fails and the delivery is pending, the delivery continues by its schedule.',
      params: z.object({ deliveryId: z.uuid() }),
      responses: {
        200: describeResponse('The delivery after the event was sent again', webhookDeliverySchema, {
          delivered: { ...exampleDelivery, state: 'delivered', nextAttemptAt: null },
        }),
      },
      errors: ['notFound', 'conflict'],
      gives: (call) => parkCallDuring(call, () => deliveries.replay(call.params.deliveryId)),
    }),
  ];
}

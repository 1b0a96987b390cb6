import { z } from 'zod';
import { makeEventView } from '../events/stored-event.ts';
import { type AnyEndpoint, defineEndpoint } from '../http/endpoint.ts';
import { makeLiveStreamAnswer } from '../http/live-stream.ts';
import type { Services } from '../services.ts';
import { accountQuerySchema } from './page-query.ts';

/**
 * Makes the endpoint that streams each event when it happens. The endpoint serves `pinpad listen`, and clients that
 * cannot receive webhooks.
 */
export function eventStreamEndpoints({ events, runtime }: Services): AnyEndpoint[] {
  return [
    defineEndpoint({
      route: 'GET /control/events/stream',
      operationId: 'controlStreamEvents',
      tag: 'Control: events',
      guard: 'control',
      summary: 'Stream events',
      description:
        'A stream of server-sent events. The data of each message is an event of the gateway. The id of the message is the identifier of the event.',
      query: accountQuerySchema,
      responses: {
        200: {
          description: 'The stream',
          contentType: 'text/event-stream',
          schema: z.string(),
          examples: { one: 'id: 019b78ce-9280-7000-8000-5f3759df0005\ndata: {"type":"…"}\n\n' },
        },
      },
      handle: async ({ query }) =>
        makeLiveStreamAnswer(runtime, {
          name: 'events',
          follow: ({ write }) =>
            events.listen((list) => {
              for (const one of list)
                if (query.accountId === undefined || query.accountId === one.accountId)
                  write(`id: ${one.id}\ndata: ${JSON.stringify(makeEventView(one))}\n\n`);
            }),
        }),
    }),
  ];
}

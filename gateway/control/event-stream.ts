import { z } from 'zod';
import { eventView, type StoredEvent } from '../events/service.ts';
import { type AnyEndpoint, endpoint } from '../http/endpoint.ts';
import type { ControlParts } from './parts.ts';

/** Live events, for `pinpad listen` and whoever wants to see them without a receiver of his own. */
export function eventStreamEndpoints({ events, runtime }: ControlParts): AnyEndpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/control/events/stream',
      operationId: 'controlStreamEvents',
      tag: 'Control: events',
      guard: 'control',
      summary: 'Events as they happen',
      description: 'Server-sent events; each has an event as its data and its identifier as its id.',
      query: z.object({ accountId: z.string().optional().meta({ description: "Only this account's" }) }),
      responses: {
        200: {
          description: 'The stream',
          contentType: 'text/event-stream',
          schema: z.string(),
          examples: { one: 'id: 019b78ce-9280-7000-8000-5f3759df0005\ndata: {"type":"…"}\n\n' },
        },
      },
      handle: async ({ query }) => ({
        status: 200,
        headers: { 'Content-Type': 'text/event-stream' },
        stream: (write, signal) =>
          new Promise<void>((resolve) => {
            const { clock, timeouts } = runtime;
            const send = (one: StoredEvent) => {
              if (query.accountId !== undefined && query.accountId !== one.accountId) return;
              write(`id: ${one.id}\ndata: ${JSON.stringify(eventView(one))}\n\n`);
            };
            write(': events\n\n');
            const stopListening = events.listen((list) => list.forEach(send));
            // As in the journal's stream: real proxies close what is quiet, virtual time has none.
            const beat = () => {
              write(': still here\n\n');
              timer = clock.setTimeout(beat, timeouts.heartbeatMs);
            };
            let timer = clock.virtual ? undefined : clock.setTimeout(beat, timeouts.heartbeatMs);
            const end = () => {
              stopListening();
              clock.clearTimeout(timer);
              resolve();
            };
            if (signal.aborted) end();
            else signal.addEventListener('abort', end, { once: true });
          }),
      }),
    }),
  ];
}

import { z } from 'zod';
import { type AnyEndpoint, defineEndpoint, describeResponse } from '../http/endpoint.ts';
import type { Services } from '../services.ts';

const health = z.object({ status: z.literal('ok') });

/** Makes the endpoint that a load balancer calls before it sends requests to this gateway (B179). */
export function healthEndpoints({ store }: Services): AnyEndpoint[] {
  /** If many clients check the health at once, the database is read only once. */
  let reading: Promise<unknown> | undefined;
  const read = () => {
    reading ??= store
      .read((db) => db.selectFrom('accounts').select('id').limit(1).execute())
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  return [
    defineEndpoint({
      route: 'GET /health',
      operationId: 'getHealth',
      tag: 'Health',
      guard: 'open',
      summary: 'Check whether the gateway can work',
      description:
        'Answers 503 while the gateway cannot read its database, and as soon as the gateway shuts down.',
      journaled: 'nothing',
      responses: { 200: describeResponse('The gateway can work', health, { one: { status: 'ok' } }) },
      errors: ['unavailable'],
      gives: async () => {
        await read();
        return { status: 'ok' };
      },
    }),
  ];
}

import { z } from 'zod';
import { type AnyEndpoint, endpoint, shows } from '../http/endpoint.ts';
import type { Services } from '../services.ts';

const health = z.object({ status: z.literal('ok') });

/** The endpoint that a balancer calls before it sends requests here (B179). */
export function healthEndpoints({ store }: Services): AnyEndpoint[] {
  /** However many clients ask at once, the database is read once. */
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
    endpoint({
      route: 'GET /health',
      operationId: 'getHealth',
      tag: 'Health',
      guard: 'open',
      summary: 'Ask whether the gateway can work',
      description: 'Answers 503 while its database cannot be read, and once it shuts down.',
      journaled: 'nothing',
      responses: { 200: shows('It can', health, { one: { status: 'ok' } }) },
      errors: ['unavailable'],
      gives: async () => {
        await read();
        return { status: 'ok' };
      },
    }),
  ];
}

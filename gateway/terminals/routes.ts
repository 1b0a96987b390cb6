import { z } from 'zod';
import { type AnyEndpoint, defineEndpoint, describeResponse } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { terminalSchema } from './schemas.ts';

const terminalExample = {
  poi_id: 'V400m-100000001',
  identifier: '019b78ce-9280-7000-8000-5f3759df0003',
  effective_payout_account: '019b78ce-9280-7000-8000-5f3759df0004',
  store: {
    identifier: '019b78ce-9280-7000-8000-5f3759df0005',
    name: 'Demo Shop',
    address: '1 Market Street',
  },
};

/** Makes the endpoint GET /terminals (B3). */
export function terminalEndpoints({ terminals }: Services): AnyEndpoint[] {
  return [
    defineEndpoint({
      route: 'GET /terminals',
      operationId: 'listTerminals',
      tag: 'Terminals',
      summary: 'List the terminals of the account',
      description: 'Call this only to look up the UUIDs of terminals.',
      guard: 'token',
      sandboxOnly: true,
      responses: {
        200: describeResponse('The terminals', z.array(terminalSchema), { one: [terminalExample] }),
      },
      gives: ({ caller }) => terminals.listFor(caller),
    }),
  ];
}

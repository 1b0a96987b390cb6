import { z } from 'zod';
import { type AnyEndpoint, endpoint } from '../http/endpoint.ts';
import { terminal } from './schemas.ts';
import type { TerminalService } from './service.ts';

/** GET /terminals (specification §4.1). */
export function terminalEndpoints(service: TerminalService): AnyEndpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/terminals',
      operationId: 'listTerminals',
      tag: 'Terminals',
      summary: 'List the terminals of the account',
      description: 'Call only to look up terminal UUIDs.',
      guard: 'token',
      sandboxOnly: true,
      responses: { 200: { description: 'The terminals', schema: z.array(terminal) } },
      handle: async ({ caller }) => ({ status: 200, body: service.listFor(caller) }),
    }),
  ];
}

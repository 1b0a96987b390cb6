import { z } from 'zod';
import { type AnyEndpoint, defineEndpoint, describeResponse } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import type { Services } from '../services.ts';
import {
  beliefBodySchema,
  exampleBeliefExchange,
  maxBeliefBytes,
  statedBeliefAnswerSchema,
} from './schemas.ts';

/**
 * Makes the endpoint for drivers that have no control token. Such a driver uses this endpoint to state what the POS
 * believes (B243). The endpoint's address is a secret, so the journal gets the belief, but not the request.
 */
export function secretBeliefEndpoints({ beliefs }: Services): AnyEndpoint[] {
  return [
    defineEndpoint({
      route: 'POST /beliefs/{secret}',
      operationId: 'stateBelief',
      tag: 'Control: sales',
      guard: 'open',
      admits: ({ params, fromLoopback }) => {
        if (!fromLoopback) throw new ApiError('routeNotFound');
        beliefs.admit(String(params.secret));
      },
      journaled: 'nothing',
      summary: 'Say what the shop believes about a sale of one account',
      description:
        'Send a POST to the address in PINPAD_BELIEFS_URL. Each account has its own address, and each start of pinpad makes new addresses. Only programs on this machine can use the address; all other programs get a 404, as for an address that does not exist. At most 20 requests a second are accepted.',
      params: z.object({ secret: z.string() }),
      body: beliefBodySchema,
      bodyExamples: { paid: exampleBeliefExchange.body },
      largestBody: maxBeliefBytes,
      responses: {
        201: describeResponse('Noted', statedBeliefAnswerSchema, { paid: exampleBeliefExchange.answer }),
      },
      errors: ['routeNotFound', 'notFound', 'conflict', 'invalidAmount', 'rateLimited'],
      gives: async ({ params, body }) => {
        const { saleId, beliefs: stated } = await beliefs.stateAt(params.secret, body);
        return { saleId, beliefs: stated };
      },
    }),
  ];
}

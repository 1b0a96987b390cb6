import { type AnyEndpoint, defineEndpoint, describeResponse } from '../http/endpoint.ts';
import {
  beliefBodySchema,
  exampleBeliefExchange,
  maxBeliefBytes,
  statedBeliefAnswerSchema,
} from '../sales/schemas.ts';
import type { Services } from '../services.ts';

/**
 * Makes the endpoint by which a test or a driver says what the POS believes about a sale, for example that it is paid
 * (B242).
 */
export function beliefEndpoints({ beliefs }: Services): AnyEndpoint[] {
  return [
    defineEndpoint({
      route: 'POST /control/beliefs',
      operationId: 'controlStateBelief',
      tag: 'Control: sales',
      guard: 'control',
      summary: 'Say what the shop believes about a sale',
      description:
        'Name the sale by its saleReferenceId, its Idempotency-Key or one of its payments. The last belief about a sale counts; earlier beliefs are kept as history. A wrong belief is a finding. If several sales match, the answer is 409 with a list of these sales.',
      body: beliefBodySchema,
      bodyExamples: { paid: exampleBeliefExchange.body },
      largestBody: maxBeliefBytes,
      responses: {
        201: describeResponse('Noted', statedBeliefAnswerSchema, { paid: exampleBeliefExchange.answer }),
      },
      errors: ['notFound', 'conflict', 'invalidAmount'],
      gives: async ({ body }) => {
        const { saleId, beliefs: stated } = await beliefs.state(body);
        return { saleId, beliefs: stated };
      },
    }),
  ];
}

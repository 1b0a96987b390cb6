import { type AnyEndpoint, endpoint, shows } from '../http/endpoint.ts';
import { beliefBody, exampleBeliefs, largestBelief, statedBelief } from '../sales/schemas.ts';
import type { Services } from '../services.ts';

/** Lets a test or a driver state what the shop believes about a sale (B242). */
export function beliefEndpoints({ beliefs }: Services): AnyEndpoint[] {
  return [
    endpoint({
      route: 'POST /control/beliefs',
      operationId: 'controlStateBelief',
      tag: 'Control: sales',
      guard: 'control',
      summary: 'Say what the shop believes about a sale',
      description:
        'By its saleReferenceId, its Idempotency-Key or one of its payments. The last belief of a sale counts; the earlier ones are kept as history. A wrong belief is a finding. 409 with the candidates if several sales fit.',
      body: beliefBody,
      bodyExamples: { paid: exampleBeliefs.body },
      largestBody: largestBelief,
      responses: { 201: shows('Noted', statedBelief, { paid: exampleBeliefs.answer }) },
      errors: ['notFound', 'conflict', 'invalidAmount'],
      gives: async ({ body }) => {
        const { saleId, beliefs: stated } = await beliefs.state(body);
        return { saleId, beliefs: stated };
      },
    }),
  ];
}

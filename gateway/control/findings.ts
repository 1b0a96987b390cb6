import { z } from 'zod';
import { booleanQuerySchema } from '../http/boolean-query.ts';
import { type AnyEndpoint, defineEndpoint, describeResponse } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { exampleIds } from './examples.ts';

const finding = z
  .object({
    rule: z.string(),
    severity: z.enum(['error', 'warning']),
    what: z.string(),
    why: z.string(),
    fix: z.string().meta({ description: 'The advice, in a sentence' }),
    link: z.string().meta({ description: 'The section of the documentation that explains the rule' }),
    count: z.int().meta({ description: 'How often the mistake was seen' }),
    entries: z.array(z.int()).meta({
      description:
        'The seq of each journal entry that shows the mistake; empty if the finding is about a sale as a whole',
    }),
    at: z.number().meta({
      description:
        "The time when the mistake was first seen, in milliseconds since 1970 on the gateway's clock",
    }),
    payment: z.string().optional(),
  })
  .meta({ id: 'Finding', description: 'A mistake of a point of sale' });

const exampleFinding = {
  rule: 'blind-payment-retry',
  severity: 'error' as const,
  what: 'the customer paid twice: sale order-7 was requested again with a new key, k2, while the outcome of the earlier request with the key k1 was not known',
  why: 'a request with another key, or without one, is another payment: if the first payment succeeds, the customer pays twice',
  fix: 'before you begin another payment for the sale, send the request again with the same Idempotency-Key, or ask for the status by that key until the answer is 200',
  link: 'docs/lint.md#blind-payment-retry',
  count: 1,
  entries: [17, 41, 44, 69],
  at: 1_767_258_000_000,
  payment: exampleIds.payment,
};

/** Makes the endpoint that lists the mistakes that POS systems have made so far (docs/lint.md). */
export function findingEndpoints({ findings }: Services): AnyEndpoint[] {
  return [
    defineEndpoint({
      tag: 'Control: sales',
      guard: 'control',
      route: 'GET /control/findings',
      operationId: 'controlListFindings',
      summary: 'List the mistakes of points of sale',
      description:
        'The findings so far about the latest requests. Mistakes that have the same cause are one finding. The gravest findings come first. Each finding is also listed with its sale. The list is empty if lint is off.',
      query: z.object({
        withoutSale: booleanQuerySchema.optional().meta({
          description:
            'Return only findings about requests that belong to no sale, such as a request with an unknown token',
        }),
      }),
      responses: {
        200: describeResponse('Findings', z.object({ findings: z.array(finding) }), {
          one: { findings: [exampleFinding] },
        }),
      },
      gives: ({ query: { withoutSale } }) => ({
        findings: withoutSale ? findings.withoutSale() : findings.list(),
      }),
    }),
  ];
}

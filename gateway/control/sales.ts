import { z } from 'zod';
import { outcomeToldStates, type Sale, saleKinds, saleOutcomes } from '../../shared/sales/sale.ts';
import { booleanQuerySchema } from '../http/boolean-query.ts';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import { makeLiveStreamAnswer } from '../http/live-stream.ts';
import { makeWholeNumberSchema } from '../http/whole-number.ts';
import type { SaleFilter } from '../sales/sale-filter.ts';
import { exampleSale, saleSchema } from '../sales/schemas.ts';
import type { Services } from '../services.ts';
import { requireTerminal } from './terminal-params.ts';

const filter = {
  accountId: z.string().optional(),
  terminal: z.string().optional().meta({ description: "A terminal's identifier or poi_id" }),
  saleReferenceId: z.string().optional(),
  idempotencyKey: z.string().optional(),
  kind: z.enum(saleKinds).optional(),
  outcome: z.enum(saleOutcomes).optional(),
  told: z.enum(outcomeToldStates).optional(),
  own: booleanQuerySchema.optional().meta({
    description:
      'true: only sales that pinpad itself made, with its screen, its console or `pinpad pay`; false: only all other sales',
  }),
  findings: booleanQuerySchema
    .optional()
    .meta({ description: 'true: only sales with findings; false: only sales without findings' }),
};

const pageQuery = z.object({
  ...filter,
  before: z
    .string()
    .max(200)
    .regex(/^[0-9a-f-]{13,36}(\.[\w.:-]+)?$/, { error: 'must be the value of `next` in an answer' })
    .optional()
    .meta({ description: 'The value of `next` in the previous page' }),
  limit: makeWholeNumberSchema(1, 1000)
    .default(50)
    .meta({ description: 'The maximum number of items; 50 by default' }),
});
const page = z.object({
  sales: z.array(saleSchema),
  next: z
    .string()
    .optional()
    .meta({ description: 'The value to send as `before` for the next page; absent on the last page' }),
});
const streamQuery = z.object({
  accountId: filter.accountId,
  recent: makeWholeNumberSchema(0, 1000).default(0).meta({
    description:
      'The number of sales with which the stream begins. These are the latest sales, and the oldest of them comes first',
  }),
});

function eventOf(sale: Sale): string {
  return `id: ${sale.saleId}\ndata: ${JSON.stringify(sale)}\n\n`;
}

/**
 * Makes the endpoints that show sales. With each sale they show everything that the POS did for this sale (B235). So a
 * person sees quickly what the POS did.
 */
export function saleEndpoints({ sales, terminals, runtime }: Services): AnyEndpoint[] {
  const endpoint = makeEndpointDefiner({ tag: 'Control: sales', guard: 'control' });
  return [
    endpoint({
      route: 'GET /control/sales',
      operationId: 'controlListSales',
      summary: 'List sales, latest first',
      description:
        'Payments and requests with the same account and saleReferenceId are one sale. Payments and requests without a saleReferenceId are one sale if they have the same account and Idempotency-Key. A payment that has neither of the two is a sale of its own. Sales that are older than the journal come from the stored payments, and have no calls.',
      query: pageQuery,
      responses: { 200: describeResponse('Sales', page, { one: { sales: [exampleSale] } }) },
      errors: ['terminalNotFound'],
      gives: async ({ query: { before, limit, terminal, ...rest } }) => {
        const wanted: SaleFilter =
          terminal === undefined ? rest : { ...rest, terminal: requireTerminal(terminals, terminal) };
        return sales.page(wanted, before, limit);
      },
    }),
    endpoint({
      route: 'GET /control/sales/stream',
      operationId: 'controlStreamSales',
      summary: 'Stream sales as they change',
      description:
        'Server-sent events. The data of each event is a sale after a change, and the id of the event is the saleId. After a lost connection, open the stream again with `recent`. If a sale comes twice, the later state replaces the earlier one.',
      query: streamQuery,
      responses: {
        200: {
          description: 'The stream',
          contentType: 'text/event-stream',
          schema: z.string(),
          examples: { one: `id: ${exampleSale.saleId}\ndata: ${JSON.stringify(exampleSale)}\n\n` },
        },
      },
      handle: async ({ query: { accountId, recent } }) => {
        const isWanted = (sale: Sale) => accountId === undefined || sale.accountId === accountId;
        // The sales that change while the first list is being sent. The stream sends these sales after the list.
        const changed = new Map<string, Sale>();
        let take = (sale: Sale) => void changed.set(sale.saleId, sale);
        let stop = () => {};
        return makeLiveStreamAnswer(runtime, {
          name: 'sales',
          history: async (output, signal) => {
            stop = sales.listen((sale) => isWanted(sale) && take(sale));
            signal.addEventListener('abort', () => stop(), { once: true });
            const latest = recent > 0 ? (await sales.page({ accountId }, undefined, recent)).sales : [];
            for (const sale of latest.toReversed()) {
              output.write(eventOf(sale));
              await output.drained();
              if (signal.aborted) return;
            }
          },
          follow: (output) => {
            take = (sale) => void output.write(eventOf(sale));
            for (const sale of changed.values()) take(sale);
            return stop;
          },
        });
      },
    }),
    endpoint({
      route: 'GET /control/sales/{saleId}',
      operationId: 'controlGetSale',
      summary: 'Get a sale',
      description: 'Name the sale by its saleId, or by the identifier of one of its payments.',
      params: z.object({ saleId: z.string() }),
      responses: { 200: describeResponse('The sale', saleSchema, { approved: exampleSale }) },
      errors: ['notFound'],
      gives: ({ params }) => sales.find(params.saleId),
    }),
  ];
}

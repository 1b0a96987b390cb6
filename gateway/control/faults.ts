import { z } from 'zod';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import type { Services } from '../services.ts';
import { faultInputSchema, faultSchema } from './fault-schemas.ts';

const exampleFault = {
  id: '019b78ce-9280-7000-8000-5f3759df0007',
  fault: 'dropAnswer',
  method: 'POST',
  path: '/terminals/{terminalId}/payment-request',
  after: 0,
  times: 1,
};
const endpoint = makeEndpointDefiner({ tag: 'Control: faults', guard: 'control' });

/**
 * Makes the endpoints that set faults. A fault affects the requests and answers between a POS and the gateway, or the
 * events that are sent to the POS.
 */
export function faultEndpoints({ faults }: Services): AnyEndpoint[] {
  return [
    endpoint({
      route: 'POST /control/faults',
      operationId: 'controlSetFault',
      summary: 'Set a fault, so that requests, answers or events are lost, late or wrong',
      description:
        'The fault affects the next requests that match, or the next events on their way to webhooks. If several faults match, the one that was set first takes effect. Requests to /control and events of production accounts are never affected. A restart clears all faults. With PostgreSQL the gateways share their faults, which stay until they are used up or cleared.',
      body: faultInputSchema,
      bodyExamples: {
        answerLost: {
          fault: 'dropAnswer',
          method: 'POST',
          path: '/terminals/{terminalId}/payment-request',
        },
        requestLost: { fault: 'dropRequest', path: '/payment-requests/status', times: 2 },
        proxyCuts: { fault: 'cutAnswer', path: '/terminals/{terminalId}/payment-request', afterMs: 60_000 },
        secondCameTwice: { fault: 'duplicateRequest', method: 'POST', answered: 'copy', after: 1 },
        late: { fault: 'delayAnswer', path: '/payment-requests/status', delayMs: 45_000 },
        eventLost: { fault: 'loseEvent', endpointId: 'pos' },
        refundAnswered503: {
          fault: 'failAnswer',
          method: 'POST',
          path: '/debit/{debit_id}/refunds',
          status: 503,
        },
      },
      responses: { 201: describeResponse('Set', faultSchema, { answerLost: exampleFault }) },
      errors: ['controlTokenNeeded'],
      gives: async ({ body, fromConsole }) => {
        if (body.fault === 'holdAnswer' && fromConsole) throw new ApiError('controlTokenNeeded');
        return faults.add(body);
      },
    }),
    endpoint({
      route: 'GET /control/faults',
      operationId: 'controlListFaults',
      summary: 'List the faults',
      description: 'The faults that are not used up yet, in the order in which they were set.',
      responses: { 200: describeResponse('Faults', z.array(faultSchema), { one: [exampleFault] }) },
      gives: () => faults.list(),
    }),
    endpoint({
      route: 'DELETE /control/faults',
      operationId: 'controlClearFaults',
      summary: 'Clear all faults, or all faults of an account',
      query: z.object({ accountId: z.string().optional() }),
      responses: { 204: { description: 'All faults are cleared' } },
      gives: ({ query }) => faults.clear(query),
    }),
    endpoint({
      route: 'DELETE /control/faults/{faultId}',
      operationId: 'controlClearFault',
      summary: 'Clear one fault',
      params: z.object({ faultId: z.string() }),
      responses: { 204: { description: 'Cleared' } },
      errors: ['notFound'],
      gives: async ({ params }) => {
        if ((await faults.clear({ id: params.faultId })) === 0)
          throw new ApiError('notFound', {
            message: 'The fault does not exist, or it is used up',
          });
      },
    }),
  ];
}

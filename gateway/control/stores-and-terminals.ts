import { z } from 'zod';
import { screenStateSchema } from '../../shared/emulator/screen.ts';
import { type AnyEndpoint, describeResponse, makeEndpointDefiner } from '../http/endpoint.ts';
import type { ParkableCall } from '../http/parked.ts';
import type { Services } from '../services.ts';
import {
  createdTerminalSchema,
  type ProvisionedTerminal,
  provisionedTerminalSchema,
  storeInputSchema,
  storeSchema,
  terminalChangesSchema,
  terminalInputSchema,
  terminalKeysInputSchema,
} from '../terminals/schemas.ts';
import { exampleIds, exampleStore, exampleTerminal } from './examples.ts';
import { accountQuerySchema } from './page-query.ts';
import { requireTerminal, terminalParamsSchema } from './terminal-params.ts';

const liveTerminal = provisionedTerminalSchema
  .extend({
    emulated: z.boolean().meta({
      description:
        'Whether an emulator hosts the terminal now, as far as this gateway can tell. Actions at the terminal need an emulator',
    }),
    screen: screenStateSchema
      .nullable()
      .meta({ description: "The state of the terminal's screen; null if no emulator hosts the terminal" }),
  })
  .meta({ id: 'LiveTerminal', description: 'A terminal and its present state' });

const exampleLive = { ...exampleTerminal, emulated: true, screen: 'idle' };

/** Makes the endpoints of stores and terminals, and of the terminals' state. */
export function storeAndTerminalEndpoints(
  parts: Pick<Services, 'terminals' | 'emulators' | 'connectedTerminals'>,
): AnyEndpoint[] {
  const { terminals, emulators } = parts;
  const endpoint = makeEndpointDefiner({ tag: 'Control: provisioning', guard: 'control' });
  const live = async (terminal: ProvisionedTerminal, connected: ReadonlySet<string>, call: ParkableCall) => ({
    ...terminal,
    connected: connected.has(terminal.id),
    emulated: emulators.hosts(terminal.poiId),
    screen: (await emulators.lastScreenOf(terminal.poiId, call))?.state ?? null,
  });
  return [
    endpoint({
      route: 'GET /control/stores',
      operationId: 'controlListStores',
      summary: 'List stores',
      query: accountQuerySchema,
      responses: { 200: describeResponse('Stores', z.array(storeSchema), { demo: [exampleStore] }) },
      gives: ({ query }) => terminals.listStores(query.accountId),
    }),
    endpoint({
      route: 'POST /control/stores',
      operationId: 'controlCreateStore',
      summary: 'Create a store',
      description: 'If a store with this id exists, it is updated instead.',
      body: storeInputSchema,
      bodyExamples: { demo: { accountId: 'demo-shop', name: 'Demo Shop', address: '1 Market Street' } },
      responses: { 201: describeResponse('The store', storeSchema, { demo: exampleStore }) },
      errors: ['notFound', 'conflict'],
      gives: ({ body }) => terminals.createStore(body),
    }),
    endpoint({
      route: 'GET /control/terminals',
      operationId: 'controlListTerminals',
      summary: 'List terminals and their state',
      query: accountQuerySchema,
      responses: { 200: describeResponse('Terminals', z.array(liveTerminal), { demo: [exampleLive] }) },
      gives: async (call) => {
        await emulators.bringUpToDate();
        const connected = await parts.connectedTerminals();
        const body = [];
        for (const terminal of terminals.listTerminals(call.query.accountId))
          body.push(await live(terminal, connected, call));
        return body;
      },
    }),
    endpoint({
      route: 'POST /control/terminals',
      operationId: 'controlCreateTerminal',
      summary: 'Create a terminal',
      description:
        'Only this answer shows the device key: give it to the terminal. If a terminal with this poiId exists in the account, it is updated instead.',
      body: terminalInputSchema,
      bodyExamples: {
        demo: { poiId: 'V400m-100000003', storeId: exampleIds.store },
        withoutPayoutAccount: { poiId: 'V400m-100000004', storeId: exampleIds.store, payoutAccount: null },
      },
      responses: {
        201: describeResponse('The terminal', createdTerminalSchema, {
          demo: { ...exampleTerminal, deviceKey: 'dev_0hS1vXoXq0c1Qm3y2wZs9mYb7Hn5Tg4Kf6Jd8La_E' },
        }),
      },
      errors: ['notFound', 'conflict'],
      journaled: 'withoutBodies',
      gives: ({ body }) => terminals.createTerminal(body),
    }),
    endpoint({
      route: 'POST /control/stores/{storeId}/terminals',
      operationId: 'controlNumberTerminals',
      summary: 'Create terminals, each with a poiId that the gateway chooses',
      description:
        'The answer contains the terminal of each device key. For a key that no terminal has, a terminal is created in this store. ' +
        'Each created terminal gets a poiId that was never used before, even if several gateways create terminals at the same time. ' +
        'A terminal that has the key is not changed, so the call can be repeated.',
      params: z.object({ storeId: z.uuid() }),
      body: terminalKeysInputSchema,
      bodyExamples: { demo: { deviceKeys: ['dev_0hS1vXoXq0c1Qm3y2wZs9mYb7Hn5Tg4Kf6Jd8La_E'] } },
      responses: {
        200: describeResponse(
          'The terminals, in the order of their keys',
          z.array(provisionedTerminalSchema),
          {
            demo: [{ ...exampleTerminal, poiId: 'V400m-200000001', connected: false }],
          },
        ),
      },
      errors: ['notFound'],
      journaled: 'withoutBodies',
      gives: ({ params, body }) => terminals.terminalsOfKeys(params.storeId, body.deviceKeys),
    }),
    endpoint({
      route: 'GET /control/terminals/{terminalId}',
      operationId: 'controlGetTerminal',
      summary: 'Get a terminal and its state',
      params: terminalParamsSchema,
      responses: { 200: describeResponse('The terminal', liveTerminal, { demo: exampleLive }) },
      errors: ['terminalNotFound'],
      gives: async (call) => {
        requireTerminal(terminals, call.params.terminalId); // an unknown terminal is refused at once
        await emulators.bringUpToDate();
        const connected = await parts.connectedTerminals();
        // The terminal may have been deleted in the meantime.
        const { id } = requireTerminal(terminals, call.params.terminalId);
        const found = terminals.listTerminals().find((terminal) => terminal.id === id);
        return live(found as ProvisionedTerminal, connected, call);
      },
    }),
    endpoint({
      route: 'PATCH /control/terminals/{terminalId}',
      operationId: 'controlUpdateTerminal',
      summary: 'Change a terminal',
      params: terminalParamsSchema,
      body: terminalChangesSchema,
      bodyExamples: { noPayoutAccount: { payoutAccount: null }, noMagic: { magicAmounts: false } },
      responses: { 200: describeResponse('The terminal', liveTerminal, { demo: exampleLive }) },
      errors: ['terminalNotFound', 'notFound', 'conflict'],
      gives: async (call) => {
        const { id } = requireTerminal(terminals, call.params.terminalId);
        const terminal = await terminals.updateTerminal(id, call.body);
        return live(terminal, await parts.connectedTerminals(), call);
      },
    }),
    endpoint({
      route: 'DELETE /control/terminals/{terminalId}',
      operationId: 'controlDeleteTerminal',
      summary: 'Delete a terminal',
      description:
        "The terminal's link is closed. The payments of the terminal stay with their account. " +
        'An open payment that was not delivered to the terminal ends at once with `aborted`. Any other open payment on the terminal ends with `deviceOut` at its deadline. ' +
        'If the terminal is created again, it is a new terminal.',
      params: terminalParamsSchema,
      responses: { 204: { description: 'Deleted' } },
      errors: ['terminalNotFound'],
      gives: ({ params }) => terminals.deleteTerminal(requireTerminal(terminals, params.terminalId).id),
    }),
  ];
}

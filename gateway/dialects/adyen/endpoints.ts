import { z } from 'zod';
import { type AnyEndpoint, defineEndpoint } from '../../http/endpoint.ts';
import { ApiError } from '../../http/errors.ts';
import type { Services } from '../../services.ts';
import type { LaterResultSender } from './later-results.ts';
import { readMessagePurpose } from './message-purpose.ts';
import type { AdyenCall } from './payments.ts';
import { TerminalApi } from './terminal-api.ts';

type Needed = Pick<Services, 'runtime' | 'accounts' | 'payments' | 'terminals' | 'connectedTerminals'>;

const anyAnswer = { description: 'As Adyen says it', schema: z.unknown() };
const common = {
  tag: 'Adyen Terminal API',
  guard: 'token',
  sandboxOnly: true,
  documented: false,
  responses: { 200: anyAnswer },
} as const;
/**
 * The parts that all endpoints for messages share. The schema of these endpoints accepts every body, because this API
 * must answer even a wrong body in its own form. The body is checked later, when it is read as a message.
 */
export const messageEndpointParts = {
  ...common,
  holds: true,
  body: z.unknown(),
  bodyOptional: true,
  bodyType: 'anyText',
} as const;
const merchant = z.object({ merchantAccount: z.string() });
const device = merchant.extend({ deviceId: z.string() });

/** Makes the endpoints of Adyen's Terminal API and Cloud device API (docs/adyen.md). */
export function adyenEndpoints(services: Needed, later: LaterResultSender): AnyEndpoint[] {
  const api = new TerminalApi(services);
  const asks = (json: unknown) => readMessagePurpose(json, services.terminals);
  return [
    defineEndpoint({
      ...messageEndpointParts,
      asks,
      route: 'POST /sync',
      operationId: 'adyenSync',
      summary: 'Send a message to a terminal, and wait for the answer of the terminal',
      handle: (call) => api.answerNow(call),
    }),
    defineEndpoint({
      ...messageEndpointParts,
      asks,
      route: 'POST /v1/merchants/{merchantAccount}/devices/{deviceId}/sync',
      operationId: 'adyenDeviceSync',
      summary: 'Send a message to a terminal, and wait for the answer of the terminal',
      params: device,
      handle: async (call) => {
        checkOwnMerchant(services, call, call.params.merchantAccount);
        return api.answerNow(call, call.params.deviceId);
      },
    }),
    defineEndpoint({
      ...messageEndpointParts,
      asks,
      route: 'POST /async',
      operationId: 'adyenAsync',
      summary:
        'Send a message to a terminal. The gateway later sends the answer of the terminal to the address that the account has set for results (`adyen.events`)',
      handle: (call) => api.answerLater(call, later),
    }),
    defineEndpoint({
      ...messageEndpointParts,
      asks,
      route: 'POST /v1/merchants/{merchantAccount}/devices/{deviceId}/async',
      operationId: 'adyenDeviceAsync',
      summary:
        'Send a message to a terminal. The gateway later sends the answer of the terminal to the address that the account has set for results (`adyen.events`)',
      params: device,
      handle: async (call) => {
        checkOwnMerchant(services, call, call.params.merchantAccount);
        return api.answerLater(call, later, call.params.deviceId);
      },
    }),
    defineEndpoint({
      ...common,
      route: 'POST /connectedTerminals',
      operationId: 'adyenConnectedTerminals',
      summary: 'List the terminals that are connected',
      body: z.object({ merchantAccount: z.string(), store: z.string().optional() }),
      gives: async (call) => {
        const { merchantAccount, store } = call.body;
        checkOwnMerchant(services, call, merchantAccount);
        return { uniqueTerminalIds: await connectedPoiIds(services, call, store) };
      },
    }),
    defineEndpoint({
      ...common,
      route: 'GET /v1/merchants/{merchantAccount}/connectedDevices',
      operationId: 'adyenConnectedDevices',
      summary: 'List the terminals that are connected',
      params: merchant,
      query: z.object({ store: z.string().optional() }),
      gives: async (call) => {
        checkOwnMerchant(services, call, call.params.merchantAccount);
        return { uniqueDeviceIds: await connectedPoiIds(services, call, call.query.store) };
      },
    }),
    defineEndpoint({
      ...common,
      route: 'GET /v1/merchants/{merchantAccount}/devices/{deviceId}/status',
      operationId: 'adyenDeviceStatus',
      summary: 'Whether a terminal is connected',
      params: device,
      gives: async (call) => {
        const { merchantAccount, deviceId } = call.params;
        checkOwnMerchant(services, call, merchantAccount);
        const { id } = api.terminalOf(call, deviceId);
        const online = (await services.connectedTerminals()).has(id);
        return { deviceId, status: online ? 'ONLINE' : 'OFFLINE' };
      },
    }),
  ];
}

/**
 * Checks that the merchant account in a call is the account of the API key. The call names the merchant account by its
 * identifier or its merchant number.
 *
 * @throws ApiError terminalNotFound. This API answers it with 403, like every error about things of another account.
 */
function checkOwnMerchant({ accounts }: Needed, { caller }: Pick<AdyenCall, 'caller'>, named: string): void {
  const { id, merchantId } = accounts.account(caller.accountId);
  if (named !== id && named !== merchantId)
    throw new ApiError('terminalNotFound', {
      message: `The merchant account ${named} does not belong to the API key`,
    });
}

/**
 * Gives the POIIDs of the caller's connected terminals. `store` is the identifier or name of a store. With `store`, the
 * result contains only the terminals of this store.
 */
async function connectedPoiIds(
  { terminals, connectedTerminals }: Needed,
  { caller }: Pick<AdyenCall, 'caller'>,
  store: string | undefined,
): Promise<string[]> {
  const linked = await connectedTerminals();
  return terminals
    .listFor(caller)
    .filter(({ identifier }) => linked.has(identifier))
    .filter((one) => store === undefined || store === one.store.identifier || store === one.store.name)
    .map(({ poi_id }) => poi_id);
}

import { onTestFinished } from 'vitest';
import { createGateway, type Gateway } from '../../gateway/index.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { type Emulator, instantPacing, startTerminalEmulator } from '../../terminal-emulator/index.ts';
import { NatsServer } from '../nats-server.ts';

type Dialects = NonNullable<NonNullable<Parameters<typeof createGateway>[0]>['dialects']>;

const tokenOfAll = 'control_of_all_gateways';

export interface GatewayOfTest extends Gateway {
  readonly ownRuntime: Runtime;
  readonly control: ControlCall;
}

/** Calls a gateway's API with the control token. */
export type ControlCall = (
  method: string,
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked by the OpenAPI document, and read freely here
) => Promise<{ status: number; body: any }>;

/** Starts the gateways `one` and `two` of a database, connected by a NATS server of their own. */
export async function twoGateways(database: string, dialects: Dialects = {}) {
  const nats = await NatsServer.start();
  onTestFinished(() => nats.remove());
  const one = await gatewayOf(database, nats, 'one', { dialects });
  const { terminals, token } = await provision(one);
  const two = await gatewayOf(database, nats, 'two', { dialects });
  return {
    nats,
    database,
    one,
    two,
    terminals,
    token,
    another: (name: string, controlToken?: string) =>
      gatewayOf(database, nats, name, { dialects, ...(controlToken !== undefined && { controlToken }) }),
  };
}

/** Emulates terminals at a gateway. They share nothing with the gateway, as if they ran in another process. */
export async function emulate(
  { url }: Pick<Gateway, 'url'>,
  terminals: { poiId: string; deviceKey: string }[],
): Promise<Emulator> {
  const emulator = await startTerminalEmulator(
    {
      gatewayUrl: url,
      terminals: terminals.map(({ poiId, deviceKey }) => ({ poiId, deviceKey, storeName: 'Shop' })),
      pacing: instantPacing,
    },
    createRuntime(),
  );
  onTestFinished(() => emulator.close());
  return emulator;
}

async function gatewayOf(
  database: string,
  nats: NatsServer,
  name: string,
  { controlToken = tokenOfAll, dialects }: { controlToken?: string; dialects: Dialects },
): Promise<GatewayOfTest> {
  const ownRuntime = createRuntime();
  const gateway = await createGateway(
    {
      ...{ database, controlToken, dialects },
      ...{ console: { file: async () => undefined }, cluster: { nats: nats.url(), name } },
    },
    ownRuntime,
  );
  onTestFinished(() => gateway.close());
  return { ...gateway, ownRuntime, control: makeControlCall(gateway.url, controlToken) };
}

export function makeControlCall(url: string, controlToken: string): ControlCall {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${controlToken}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: text && JSON.parse(text) };
  };
}

async function provision({ control }: GatewayOfTest) {
  await control('POST', '/control/accounts', { id: 'shop', name: 'Shop', currency: 'EUR' });
  const { token } = (await control('POST', '/control/tokens', { accountId: 'shop' })).body;
  const { id: storeId } = (await control('POST', '/control/stores', { accountId: 'shop', name: 'Shop' }))
    .body;
  const terminals: { id: string; poiId: string; deviceKey: string }[] = [];
  for (const poiId of ['V400m-1', 'V400m-2'])
    terminals.push((await control('POST', '/control/terminals', { poiId, storeId })).body);
  return { terminals, token };
}

import { createGateway, type Gateway, type GatewayOptions } from '../gateway/index.ts';
import { createRuntime, type RuntimeOptions } from '../shared/create-runtime.ts';
import type { Runtime } from '../shared/runtime.ts';
import { type Emulator, instantPacing, startTerminalEmulator } from '../terminal-emulator/index.ts';

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked by the OpenAPI document, and read freely here
  body: any;
  text: string;
  headers: Headers;
}

export interface ControlHarness {
  readonly gateway: Gateway;
  readonly emulator: Emulator;
  readonly runtime: Runtime;
  readonly token: string;
  /** The terminal's identifier. The terminal's poi_id is V400m-1. */
  readonly terminalId: string;
  /** Calls the control API. */
  control(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** Requests a payment as a POS does. */
  pay(amount: number, more?: object): Promise<Reply>;
  close(): Promise<void>;
}

/** Starts a gateway with one emulated terminal in this process, and provisions it over the control API. */
export async function controlHarness(
  options: RuntimeOptions = { clock: 'virtual', seed: 1 },
  of: GatewayOptions = {},
): Promise<ControlHarness> {
  const runtime = createRuntime(options);
  const gateway = await createGateway(of, runtime);
  const call = async (token: string, method: string, path: string, body?: unknown, headers?: object) => {
    const response = await fetch(gateway.url + path, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const reply: Reply = {
      status: response.status,
      body: isJson ? JSON.parse(text) : undefined,
      text,
      headers: response.headers,
    };
    return reply;
  };
  const control: ControlHarness['control'] = (method, path, body, headers) =>
    call(gateway.controlToken, method, path, body, headers);
  await control('POST', '/control/accounts', { id: 'shop', name: 'Shop', currency: 'EUR' });
  const { token } = (await control('POST', '/control/tokens', { accountId: 'shop' })).body;
  const store = (await control('POST', '/control/stores', { accountId: 'shop', name: 'Shop' })).body;
  const terminal = (await control('POST', '/control/terminals', { poiId: 'V400m-1', storeId: store.id }))
    .body;
  const emulator = await startTerminalEmulator(
    {
      gatewayUrl: gateway.url,
      terminals: [
        { poiId: terminal.poiId, deviceKey: terminal.deviceKey, storeName: 'Shop', language: 'en' },
      ],
      pacing: instantPacing,
    },
    runtime,
  );
  await control('GET', '/control/terminals/V400m-1/screen?until=idle');
  return {
    gateway,
    emulator,
    runtime,
    token,
    terminalId: terminal.id,
    control,
    pay: (amount, more) =>
      call(token, 'POST', `/terminals/${terminal.id}/payment-request`, {
        paymentTransaction: { amountsReq: { requestedAmount: amount } },
        ...more,
      }),
    close: async () => {
      await gateway.close();
      await emulator.close();
    },
  };
}

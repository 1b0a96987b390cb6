/** What a process that was killed left, as a point of sale knows it. */
export interface Known {
  token: string;
  /** Another token, made while it ran. */
  secondToken: string;
  controlToken: string;
  terminals: { poiId: string; identifier: string; deviceKey: string }[];
  /** Its events were not received. */
  webhook: { id: string; secret: string };
  /** A payment that is concluded, by its key, and its answer. */
  paid: { identifier: string; [field: string]: unknown };
  /** A payment that was approved: its terminal lost its power before it answered. */
  approved: string;
  /** A payment whose terminal was off. */
  waiting: string;
  /** When it was killed, on its clock. */
  at: number;
}

export type Ready = Pick<Known, 'token' | 'controlToken' | 'terminals'> & { url: string };

/** Calls a gateway with a token, and gives the body of its answer. */
export async function call(
  { url }: { url: string },
  token: string,
  method: string,
  path: string,
  { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked by the OpenAPI document, and read freely here
): Promise<any> {
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Requests a payment on a terminal by a key, without waiting for its outcome. */
export function pay(gateway: Ready, terminal: number, key: string): Promise<{ identifier: string }> {
  const path = `/terminals/${gateway.terminals[terminal]?.identifier}/payment-request`;
  const headers = { 'idempotency-key': key, prefer: 'respond-async' };
  const body = { paymentTransaction: { amountsReq: { requestedAmount: 12.5 } } };
  return call(gateway, gateway.token, 'POST', path, { body, headers });
}

/** Taps a card at a terminal that asks for one. */
export async function tap(gateway: Ready, terminal: number): Promise<void> {
  const at = `/control/terminals/${gateway.terminals[terminal]?.poiId}`;
  await call(gateway, gateway.controlToken, 'GET', `${at}/screen?until=presentCard`);
  await call(gateway, gateway.controlToken, 'POST', `${at}/tap`, { body: { card: 'visa-credit' } });
}

/** Leaves a gateway and its terminals in the middle of everything that goes on after a restart. */
export async function leaveOpen(gateway: Ready): Promise<Known> {
  const { token, controlToken, terminals } = gateway;
  const control = (method: string, path: string, body?: object) =>
    call(gateway, controlToken, method, `/control${path}`, { body });
  const second = await control('POST', '/tokens', { accountId: 'demo-shop', label: 'till 2' });
  // Nothing answers at this port.
  const webhook = await control('POST', '/webhooks', { accountId: 'demo-shop', url: 'http://127.0.0.1:9/' });
  await pay(gateway, 0, 'paid');
  await tap(gateway, 0);
  const status = '/payment-requests/status?idempotencyKey=paid';
  const paid = await call(gateway, token, 'GET', status);
  await call(gateway, token, 'POST', '/contact/demo-customer/creditCards/demo-visa/charge', {
    body: { amount: 25.5, to_bank_account_id: 'demo-bank-account', statement: 'ORDER 1001' },
  });
  await until(async () => (await control('GET', '/webhook-deliveries')).some(wasTried));
  const [first, other] = terminals.map(({ poiId }) => `/terminals/${poiId}`);
  await control('PUT', `${first}/power-cut`, { at: 'resultStored' });
  await control('POST', `${other}/power`, { on: false });
  const { identifier: approved } = await pay(gateway, 0, 'approved');
  await tap(gateway, 0);
  await until(async () => (await control('GET', '/terminals')).every(isAway));
  const { identifier: waiting } = await pay(gateway, 1, 'waiting');
  const at = Date.parse((await control('GET', '/clock')).now);
  const kept = { token, secondToken: second.token, controlToken, terminals };
  return { ...kept, webhook: { id: webhook.id, secret: webhook.secret }, paid, approved, waiting, at };
}

const wasTried = ({ attempts }: { attempts: unknown[] }) => attempts.length > 0;
const isAway = ({ connected }: { connected: boolean }) => !connected;

/** Asks again and again; what asks is given up by whoever started it. */
async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is()));
}

/** The data that a killed process left, as a point of sale knows them. */
export interface LeftOpenState {
  token: string;
  /** A second token, which was made while the process ran. */
  secondToken: string;
  controlToken: string;
  terminals: { poiId: string; identifier: string; deviceKey: string }[];
  /** A webhook whose receiver got no event. */
  webhook: { id: string; secret: string };
  /** The answer of a payment that is concluded. The payment's key is `paid`. */
  paid: { identifier: string; [field: string]: unknown };
  /** The identifier of a payment that was approved. The terminal lost its power before it answered. */
  approved: string;
  /** The identifier of a payment whose terminal was off. */
  waiting: string;
  /** A debit that is authorized and not captured. */
  preauthorized: string;
  /** A refund that has not reached the bank yet. */
  refund: string;
  /** A payment link. Its customer has answered the question, but has given no bank details. */
  credit: { identifier: string; path: string; cookie: string };
  /** The time of the kill, on the clock of the process. */
  at: number;
}

export type UpgradableGateway = Pick<LeftOpenState, 'token' | 'controlToken' | 'terminals'> & { url: string };

/** Calls a gateway with a token, and resolves to the body of its answer. */
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

/** Requests a payment on a terminal with a key, without waiting for its outcome. */
export function pay(
  gateway: UpgradableGateway,
  terminal: number,
  key: string,
): Promise<{ identifier: string }> {
  const path = `/terminals/${gateway.terminals[terminal]?.identifier}/payment-request`;
  const headers = { 'idempotency-key': key, prefer: 'respond-async' };
  const body = { paymentTransaction: { amountsReq: { requestedAmount: 12.5 } } };
  return call(gateway, gateway.token, 'POST', path, { body, headers });
}

/** Taps a card at a terminal that asks for one. */
export async function tap(gateway: UpgradableGateway, terminal: number): Promise<void> {
  const at = `/control/terminals/${gateway.terminals[terminal]?.poiId}`;
  await call(gateway, gateway.controlToken, 'GET', `${at}/screen?until=presentCard`);
  await call(gateway, gateway.controlToken, 'POST', `${at}/tap`, { body: { card: 'visa-credit' } });
}

/**
 * Begins everything that a gateway and its terminals continue after a restart, and leaves it unfinished. If
 * `hasPowerCuts` is false, the clock has to be virtual.
 */
export async function leaveWorkOpen(gateway: UpgradableGateway, hasPowerCuts = true): Promise<LeftOpenState> {
  const { token, controlToken, terminals } = gateway;
  const control = (method: string, path: string, body?: object) =>
    call(gateway, controlToken, method, `/control${path}`, { body });
  const second = await control('POST', '/tokens', { accountId: 'demo-shop', label: 'till 2' });
  // No program listens at this port.
  const webhook = await control('POST', '/webhooks', { accountId: 'demo-shop', url: 'http://127.0.0.1:9/' });
  await pay(gateway, 0, 'paid');
  await tap(gateway, 0);
  const status = '/payment-requests/status?idempotencyKey=paid';
  const paid = await call(gateway, token, 'GET', status);
  const more = await leaveMore(gateway, control);
  await until(async () => (await control('GET', '/webhook-deliveries')).every(wasTried));
  const [first, other] = terminals.map(({ poiId }) => `/terminals/${poiId}`);
  if (hasPowerCuts) await control('PUT', `${first}/power-cut`, { at: 'resultStored' });
  await control('POST', `${other}/power`, { on: false });
  const { identifier: approved } = await pay(gateway, 0, 'approved');
  if (hasPowerCuts) await tap(gateway, 0);
  else await losePowerOnTheWay(gateway, control);
  await until(async () => (await control('GET', '/terminals')).every(isAway));
  const { identifier: waiting } = await pay(gateway, 1, 'waiting');
  const at = Date.parse((await control('GET', '/clock')).now);
  const kept = { token, secondToken: second.token, controlToken, terminals };
  const { id, secret } = webhook;
  return { ...kept, webhook: { id, secret }, paid, approved, waiting, ...more, at };
}

type Control = (method: string, path: string, body?: object) => ReturnType<typeof call>;

/**
 * Leaves everything open that needs no terminal: an authorized debit, a refund and a payment link. It also sets an
 * outcome for all payments at the second terminal.
 */
async function leaveMore(gateway: UpgradableGateway, control: Control) {
  const pos = (method: string, path: string, body?: object) =>
    call(gateway, gateway.token, method, path, { body });
  const debit = { amount: 25.5, to_bank_account_id: 'demo-bank-account', statement: 'ORDER 1001' };
  const card = '/contact/demo-customer/creditCards/demo-visa';
  const charged = await pos('POST', `${card}/charge`, debit);
  const refund = await pos('POST', `/debit/${charged.debit_id}/refunds`, { amount: 5, reason: 'other' });
  await control('PUT', `/debits/${charged.debit_id}/blocked-refunds`, { amount: 2, reason: 'disputed' });
  const preauthorized = await pos('POST', `${card}/preauthorize`, debit);
  await control('PUT', `/terminals/${gateway.terminals[1]?.poiId}/outcome`, {
    mode: 'always',
    outcome: { type: 'approve' },
  });
  const credit = await leaveLink(gateway, control, pos);
  return { preauthorized: preauthorized.debit_id as string, refund: refund.id as string, credit };
}

async function leaveLink(
  gateway: UpgradableGateway,
  control: Control,
  pos: Control,
): Promise<LeftOpenState['credit']> {
  await control('PUT', '/accounts/demo-shop/security-question', { question: 'The town?', answer: 'Delft' });
  const made = await pos('PUT', '/credit', {
    amount: 8.5,
    statement: 'DEPOSIT 1001',
    from_bank_account: 'demo-bank-account',
    contact_id: 'demo-customer',
  });
  const path = new URL(made.link).pathname;
  const answered = await submit(gateway, { path }, 'answer', { answer: 'Delft' });
  return { identifier: made.identifier, path, cookie: answered.cookie };
}

/** Sends a form of a payment link's page. */
export async function submit(
  { url }: { url: string },
  { path, cookie = '' }: { path: string; cookie?: string },
  step: string,
  fields: Record<string, string>,
): Promise<{ cookie: string; status: number }> {
  const headers = { 'accept-language': 'en', cookie };
  const page = await fetch(url + path, { headers });
  const held = page.headers.get('set-cookie')?.split(';')[0] ?? cookie;
  const form = new RegExp(`name="step" value="${step}"><input type="hidden" name="csrf" value="([^"]*)"`);
  const [, csrf] = form.exec(await page.text()) ?? [];
  if (csrf === undefined) throw new Error(`the page of the link has no form ${step}`);
  const sent = await fetch(url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...headers, cookie: held },
    body: new URLSearchParams({ step, csrf, ...fields }),
  });
  return { cookie: sent.headers.get('set-cookie')?.split(';')[0] ?? held, status: sent.status };
}

/** Taps a card. Switches the terminal off when the terminal has the result, but the gateway does not have it yet. */
async function losePowerOnTheWay(gateway: UpgradableGateway, control: Control): Promise<void> {
  const at = `/terminals/${gateway.terminals[0]?.poiId}`;
  const latencyMs = 1_000;
  await control('GET', `${at}/screen?until=presentCard`);
  await control('POST', `${at}/latency`, { latencyMs });
  await tap(gateway, 0);
  // The request reaches the host, and the host's answer reaches the terminal. The result is then still on its way to
  // the gateway.
  for (const _way of ['there', 'back']) await control('POST', '/clock/advance', { ms: latencyMs });
  await control('POST', `${at}/power`, { on: false });
}

const wasTried = ({ attempts }: { attempts: unknown[] }) => attempts.length > 0;
const isAway = ({ connected }: { connected: boolean }) => !connected;

/**
 * Asks again and again, without a limit. If it takes too long, the program that started this process ends the process.
 */
async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is()));
}

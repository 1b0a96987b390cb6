import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Clock, systemClock, type TimerHandle } from '../shared/clock.ts';
import { createRuntime } from '../shared/create-runtime.ts';
import { refusedUpgrade } from '../test/refused-upgrade.ts';
import { until } from '../test/until.ts';
import { createGateway, type Gateway, type GatewayOptions, StartError } from './index.ts';

const gateways: Gateway[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-gateway-'));
  folders.push(folder);
  return folder;
}

async function start(options: GatewayOptions = {}, runtime = createRuntime()): Promise<Gateway> {
  const gateway = await createGateway(options, runtime);
  gateways.push(gateway);
  return gateway;
}

async function provision(gateway: Gateway) {
  await gateway.accounts.createAccount({ id: 'shop', name: 'Shop', currency: 'EUR' });
  const { token } = await gateway.tokens.createToken({ accountId: 'shop' });
  const store = await gateway.terminals.createStore({ accountId: 'shop', name: 'Shop' });
  const terminal = await gateway.terminals.createTerminal({ poiId: 'V400m-1', storeId: store.id });
  const call = (path: string, body?: unknown, headers = {}) =>
    fetch(gateway.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return { terminal, call, token };
}

/** Makes a clock that shows which timers are running. */
function countingClock() {
  const timers = new Set<TimerHandle>();
  const clock: Clock = {
    ...systemClock,
    setTimeout(run, ms) {
      const timer = systemClock.setTimeout(() => {
        timers.delete(timer);
        run();
      }, ms);
      timers.add(timer);
      return timer;
    },
    clearTimeout(timer) {
      timers.delete(timer);
      systemClock.clearTimeout(timer);
    },
  };
  return { clock, timers };
}

const tenEuros = { paymentTransaction: { amountsReq: { requestedAmount: 10 } } };

test('starts on a free port, makes a control token and can be embedded', async () => {
  const gateway = await start();
  expect(gateway.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(gateway.controlToken).toMatch(/^control_/);
  const { call } = await provision(gateway);
  expect(await (await call('/terminals')).json()).toHaveLength(1);
});

test('a port in use and a read-only folder are reported in one clear line each', async () => {
  const { url } = await start();
  const port = Number(new URL(url).port);
  const taken = createGateway({ port }, createRuntime());
  await expect(taken).rejects.toBeInstanceOf(StartError);
  await expect(taken).rejects.toThrow(`port ${port} on 127.0.0.1 is taken`);
  const file = join(temporaryFolder(), 'a-file');
  writeFileSync(file, 'not a folder');
  const unwritable = createGateway({ dataFolder: file }, createRuntime());
  await expect(unwritable).rejects.toBeInstanceOf(StartError);
  await expect(unwritable).rejects.toThrow(file);
  const elsewhere = createGateway({ host: '203.0.113.1' }, createRuntime());
  await expect(elsewhere).rejects.toThrow('203.0.113.1 is not an address of this machine');
  const damaged = temporaryFolder();
  writeFileSync(join(damaged, 'pinpad.sqlite'), 'this is not a database, whatever its name says');
  await expect(createGateway({ dataFolder: damaged }, createRuntime())).rejects.toBeInstanceOf(StartError);
});

test('a folder has one gateway at a time, even if the former one closed just before', async () => {
  const dataFolder = temporaryFolder();
  const first = await createGateway({ dataFolder }, createRuntime());
  const second = createGateway({ dataFolder }, createRuntime());
  await expect(second).rejects.toBeInstanceOf(StartError);
  await expect(second).rejects.toThrow(`another gateway uses ${dataFolder}`);
  await first.close();
  const third = await createGateway({ dataFolder }, createRuntime());
  await third.close();
});

test('on close a held payment is answered 303 and a long poll 202', async () => {
  const runtime = createRuntime({ clock: 'virtual', seed: 1 });
  const gateway = await start({}, runtime);
  const { terminal, call } = await provision(gateway);
  const accepted = new Promise<string>((resolve) => {
    runtime.journal.listen(({ kind, payment }) => kind === 'payment.accepted' && payment && resolve(payment));
  });
  const held = call(`/terminals/${terminal.id}/payment-request`, tenEuros);
  const polled = call(`/payment-requests/status?transactionId=${await accepted}`);
  const requests = () => runtime.journal.since().filter(({ kind }) => kind === 'http.received');
  await until('both requests have arrived', () => requests().length === 2);
  await gateway.close();
  expect((await held).status).toBe(303);
  expect((await held).headers.get('connection')).toBe('close');
  expect((await polled).status).toBe(202);
});

test('stored data are there after a restart, including open payments and tokens', async () => {
  const dataFolder = join(temporaryFolder(), 'made', 'for', 'it');
  const first = await start({ dataFolder });
  const { terminal, call, token } = await provision(first);
  const asynchronous = await call(`/terminals/${terminal.id}/payment-request`, tenEuros, {
    prefer: 'respond-async',
  });
  const { identifier } = (await asynchronous.json()) as { identifier: string };
  await first.close();

  const second = await start({ dataFolder });
  const [payment] = await second.explanations.list({ limit: 1 });
  expect(payment).toMatchObject({ identifier, state: 'accepted', poiId: 'V400m-1' });
  const response = await fetch(`${second.url}/terminals`, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
});

test('a start that fails because of the certificates of the port for tills leaves no timer', async () => {
  const dataFolder = temporaryFolder();
  const first = await start({ dataFolder });
  const { terminal, call } = await provision(first);
  await call(`/terminals/${terminal.id}/payment-request`, tenEuros, { prefer: 'respond-async' });
  await first.close();
  writeFileSync(join(dataFolder, 'adyen-authority.pem'), 'the key of this authority is missing');
  const { clock, timers } = countingClock();
  const local = { keys: [], port: 0 };
  const options = { dataFolder, dialects: { adyen: { local } } };
  const failed = createGateway(options, createRuntime({ realClock: clock }));
  await expect(failed).rejects.toThrow('adyen-authority-key.pem is missing');
  expect(timers.size).toBe(0);
});

test('closing twice has the effect of closing once', async () => {
  const gateway = await start();
  const first = gateway.close();
  expect(gateway.close()).toBe(first);
  await first;
  expect(gateway.close()).toBe(first);
});

test('closing ends within its time limit, even if the client of a refused link never closes its end', async () => {
  const gateway = await start({}, createRuntime({ timeouts: { lingerMs: 10_000, shutdownMs: 50 } }));
  await refusedUpgrade(gateway.url);
  const begun = performance.now();
  await gateway.close();
  // Without the limit `shutdownMs` the gateway would wait 10 s for this client.
  expect(performance.now() - begun).toBeLessThan(9_000);
});

test('requests are rate-limited if that is configured', async () => {
  const gateway = await start({ rateLimit: { requests: 2, perSeconds: 60 } });
  const { call } = await provision(gateway);
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await call('/terminals')).status);
  expect(statuses).toEqual([200, 200, 429]);
});

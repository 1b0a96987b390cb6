import { describe, expect, onTestFinished } from 'vitest';
import { createGateway } from '../../gateway/index.ts';
import { createRuntime } from '../../shared/create-runtime.ts';
import { testThoroughly } from '../optional-programs.ts';
import { prepareServerForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';

const testInCi = testThoroughly();

/** The driver waits 15 s for a server's answer. An answer that comes sooner was not caused by that time limit. */
const driverGivesUpMs = 15_000;

describe.runIf(hasPostgres())('a PostgreSQL server that stands still', () => {
  const postgres = prepareServerForFile();

  async function world() {
    const server = await postgres();
    const timeouts = { paymentCapMs: 1_500, statusHoldMs: 700, abortHoldMs: 700 };
    const runtime = createRuntime({ timeouts });
    const gateway = await createGateway(
      { database: await server.newUrl(), controlToken: 'control' },
      runtime,
    );
    onTestFinished(() => gateway.close());
    await gateway.accounts.createAccount({ id: 'shop', name: 'Shop', currency: 'EUR' });
    const { token } = await gateway.tokens.createToken({ accountId: 'shop' });
    const store = await gateway.terminals.createStore({ accountId: 'shop', name: 'Shop' });
    const terminal = await gateway.terminals.createTerminal({ poiId: 'V400m-1', storeId: store.id });
    const call = async (method: string, path: string, body?: object, key?: string) => {
      const begunAt = performance.now();
      const response = await fetch(gateway.url + path, {
        method,
        redirect: 'manual',
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        body: body && JSON.stringify(body),
      });
      const { status, headers } = response;
      const inTime = performance.now() - begunAt < driverGivesUpMs;
      return { status, retryAfter: headers.get('retry-after'), inTime, body: await response.text() };
    };
    const order = { paymentTransaction: { amountsReq: { requestedAmount: 12.5 } } };
    const pay = (key: string) => call('POST', `/terminals/${terminal.id}/payment-request`, order, key);
    const status = (key: string) => call('GET', `/payment-requests/status?idempotencyKey=${key}`);
    const abort = (idempotencyKey: string) => call('POST', '/payment-requests/abort', { idempotencyKey });
    await status('none'); // after this request, the gateway knows the token
    return { server, pay, status, abort };
  }

  const refused = { status: 503, retryAfter: '1', inTime: true };

  testInCi(
    'does not delay an answer beyond its time limit, and stored payments are found by key afterwards (B42)',
    async () => {
      const { server, pay, status, abort } = await world();
      const held = pay('before');
      await expect.poll(async () => (await status('before')).status, { timeout: 30_000 }).not.toBe(404);
      const goesOn = server.freeze();
      onTestFinished(goesOn);
      const [paid, asked, aborted, before] = await Promise.all([
        pay('meanwhile'),
        status('before'),
        abort('before'),
        held,
      ]);
      expect([paid, asked, aborted]).toMatchObject([refused, refused, refused]);
      expect(before).toMatchObject({ status: 303, inTime: true });
      goesOn();
      await expect.poll(async () => (await pay('meanwhile')).status, { timeout: 60_000 }).not.toBe(503);
      const found = JSON.parse((await status('meanwhile')).body);
      expect(JSON.parse((await pay('meanwhile')).body).identifier).toBe(found.identifier);
    },
  );
});

import { describe, expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { testThoroughly } from '../../test/optional-programs.ts';
import { prepareDatabasesForFile } from '../../test/postgres-for-file.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../index.ts';
import { TestTerminal } from '../payments/test-terminal.fixture.ts';

const testInCi = testThoroughly();

/**
 * Each test of this file changes something at one gateway, and then sends a request that needs the change to another
 * gateway of the same database.
 */

const controlToken = 'control-token-of-test';
const storeId = '019b0000-0000-7000-8000-00000000000a';
const deviceKey = 'dev_key-of-the-test-terminal';

interface Reply {
  status: number;
  body: { [field: string]: unknown };
  headers: Headers;
}

async function send(gateway: Gateway, method: string, path: string, body?: unknown): Promise<Reply> {
  const token = path.startsWith('/control') ? controlToken : 'test_token-of-the-shop';
  const response = await fetch(gateway.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : {}, headers: response.headers };
}

/** Returns the status of an answer. If the answer is an error, the error's code follows the status. */
const said = ({ status, body }: Reply) => (status < 300 ? status : `${status} ${body.error}`);

describe.runIf(hasPostgres())('gateways of one database', () => {
  const server = prepareDatabasesForFile();

  async function start(options: GatewayOptions = {}): Promise<[Gateway, Gateway]> {
    const database = await (await server()).newGatewaysUrl();
    const gateway = async () => {
      const gateway = await createGateway({ database, controlToken, ...options }, createRuntime());
      onTestFinished(() => gateway.close());
      return gateway;
    };
    return [await gateway(), await gateway()];
  }

  /** Makes an account, a store, a terminal and a token. The two gateways make them alternately. */
  async function provision([one, other]: [Gateway, Gateway]): Promise<string> {
    const made = [
      await send(one, 'POST', '/control/accounts', { id: 'shop', name: 'Shop', currency: 'EUR' }),
      await send(other, 'POST', '/control/stores', { id: storeId, accountId: 'shop', name: 'Shop' }),
      await send(one, 'POST', '/control/terminals', { poiId: 'V400m-1', storeId, deviceKey }),
      await send(other, 'POST', '/control/tokens', {
        id: 'till',
        accountId: 'shop',
        token: 'test_token-of-the-shop',
      }),
    ];
    expect(made.map(said)).toEqual([201, 201, 201, 201]);
    return String(made[2]?.body.id);
  }

  test('continue at once with what another gateway made', async () => {
    const gateways = await start();
    const id = await provision(gateways);
    const path = `/terminals/${id}/payment-request`;
    for (const gateway of gateways) {
      const listed = await send(gateway, 'GET', '/terminals');
      expect(listed.body).toMatchObject({ 0: { identifier: id, store: { name: 'Shop' } } });
      const body = { paymentTransaction: { amountsReq: { requestedAmount: -1 } } };
      expect(said(await send(gateway, 'POST', path, body))).toBe('400 invalidAmount');
    }
  });

  test('know what another gateway changed or ended', async () => {
    const [one, other] = await start();
    const id = await provision([one, other]);
    const webhook = { id: 'hook', accountId: 'shop', url: 'http://127.0.0.1:9/' };
    await send(one, 'POST', '/control/webhooks', webhook);
    await send(one, 'PATCH', '/control/accounts/shop', { name: 'Shoppe' });
    await send(one, 'PUT', `/control/terminals/${id}/outcome`, { outcome: { type: 'silent' } });
    await other.cluster?.feed.current();
    const event = { accountId: 'shop', environment: 'sandbox', type: 'payment.concluded' } as never;
    expect(other.webhooks.wanting(event)).toHaveLength(1);
    expect(other.accounts.account('shop').name).toBe('Shoppe');
    expect(other.acquirer.outcomes.plannedFor(id)).toMatchObject({ outcome: { type: 'silent' } });
    expect((await send(other, 'GET', '/terminals')).status).toBe(200);

    await send(one, 'PATCH', '/control/webhooks/hook', { enabled: false });
    await send(one, 'DELETE', `/control/terminals/${id}/outcome`);
    await send(one, 'DELETE', '/control/tokens/till');
    await other.cluster?.feed.current();
    expect(other.webhooks.wanting(event)).toEqual([]);
    expect(other.acquirer.outcomes.plannedFor(id)).toBeUndefined();
    expect((await send(other, 'GET', '/terminals')).status).toBe(401);
  });

  test('drop a terminal, and its link, that another gateway deleted', async () => {
    const [one, other] = await start();
    const id = await provision([one, other]);
    const url = other.url.replace('http', 'ws');
    const terminal = new TestTerminal(createRuntime(), { url, poiId: 'V400m-1', deviceKey });
    await terminal.connect();
    await send(one, 'DELETE', `/control/terminals/${id}`);
    await other.cluster?.feed.current();
    expect(other.terminals.byId(id)).toBeUndefined();
    await expect.poll(() => terminal.closed).toMatchObject({ reason: 'this terminal was deleted' });
    // The first terminal is deleted. The gateway must not mistake the new terminal with the same name for the deleted
    // one.
    await send(one, 'POST', '/control/terminals', { poiId: 'V400m-1', storeId, deviceKey });
    await other.cluster?.feed.current();
    expect(other.terminals.byPoiId('V400m-1')?.id).not.toBe(id);
  });

  testInCi('agree if two make or change the same thing at once, and nobody gets a 500', async () => {
    const gateways = await start();
    const id = await provision(gateways);
    const making: Record<string, (round: number, at: number) => [string, string, object?]> = {
      account: (round) => ['POST', '/control/accounts', { id: `a${round}`, name: 'A', currency: 'EUR' }],
      token: (round) => ['POST', '/control/tokens', { id: `t${round}`, accountId: 'shop' }],
      terminal: (round) => ['POST', '/control/terminals', { poiId: `V400m-9${round}`, storeId }],
      contact: (round) => ['POST', '/control/contacts', { id: `c${round}`, accountId: 'shop', name: 'C' }],
      webhook: (round) => [
        'POST',
        '/control/webhooks',
        { id: `w${round}`, accountId: 'shop', url: 'http://127.0.0.1:9/' },
      ],
      secret: (round) => ['POST', `/control/webhooks/w${round}/rotate-secret`, {}],
      outcome: () => ['PUT', `/control/terminals/${id}/outcome`, { outcome: { type: 'silent' } }],
      'no webhook': (round) => ['DELETE', `/control/webhooks/w${round}`],
    };
    const allowed: unknown[] = [200, 201, 204, '404 notFound', '409 conflict'];
    for (const [kind, make] of Object.entries(making))
      for (let round = 0; round < 10; round++) {
        const replies = await Promise.all(gateways.map((gateway, at) => send(gateway, ...make(round, at))));
        for (const reply of replies)
          expect(allowed, `${kind} ${JSON.stringify(reply.body)}`).toContain(said(reply));
        expect(
          replies.some(({ status }) => status < 300),
          kind,
        ).toBe(true);
      }
  });

  test('count the requests of a token together, and separately from those of another token', async () => {
    const gateways = await start({ rateLimit: { requests: 4, perSeconds: 3600 } });
    await provision(gateways);
    const replies = await Promise.all(
      [0, 1, 0, 1, 0, 1, 0, 1].map((at) => send(gateways[at] as Gateway, 'GET', '/terminals')),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(4);
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(4);
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(800);
    const token = { id: 'other-till', accountId: 'shop', token: 'test_other-token-of-the-shop' };
    expect(said(await send(gateways[0], 'POST', '/control/tokens', token))).toBe(201);
    const headers = { authorization: `Bearer ${token.token}` };
    expect((await fetch(`${gateways[1].url}/terminals`, { headers })).status).toBe(200);
  });
});

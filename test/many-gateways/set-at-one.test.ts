import { describe, expect, onTestFinished, test } from 'vitest';
import { Receiver } from '../../gateway/webhooks/receiver.fixture.ts';
import { hasNats } from '../nats-server.ts';
import { testThoroughly } from '../optional-programs.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { type GatewayOfTest, twoGateways } from './two-gateways.ts';

const testInCi = testThoroughly();

describe.runIf(hasPostgres() && hasNats())('a fault set at one gateway', () => {
  const postgres = prepareDatabasesForFile();

  const world = async () => {
    const all = await twoGateways(await (await postgres()).newGatewaysUrl());
    const list = async ({ url }: GatewayOfTest) =>
      (await fetch(`${url}/terminals`, { headers: { authorization: `Bearer ${all.token}` } })).status;
    return { ...all, list };
  };

  test('applies at each, in total as often as requested (B188)', async () => {
    const { one, two, list } = await world();
    await one.control('POST', '/control/faults', { fault: 'failAnswer', times: 5 });
    expect(await list(two)).toBe(503);
    expect(await two.control('GET', '/control/faults')).toMatchObject({ body: [{ times: 4 }] });
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, at) => list(at % 2 ? one : two)));
    expect(statuses.filter((status) => status === 503)).toHaveLength(4);
    for (const gateway of [one, two])
      expect(await gateway.control('GET', '/control/faults')).toMatchObject({ body: [] });
  });

  test('lets through and applies as often as requested, at all gateways together (B212)', async () => {
    const { one, two, list } = await world();
    await one.control('POST', '/control/faults', { fault: 'failRequest', after: 3, times: 4 });
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, at) => list(at % 2 ? one : two)));
    expect(statuses.filter((status) => status === 503)).toHaveLength(4);
    await one.control('POST', '/control/faults', { fault: 'failAnswer', after: 1, times: null });
    expect([await list(two), await list(one), await list(two)]).toEqual([200, 503, 503]);
    await two.control('DELETE', '/control/faults');
    for (const gateway of [one, two])
      expect(await gateway.control('GET', '/control/faults')).toMatchObject({ body: [] });
  });

  test('can be cleared at another gateway, and applies there first if it was set first', async () => {
    const { one, two, list } = await world();
    const set = { fault: 'failAnswer', times: null, path: '/terminals' };
    await one.control('POST', '/control/faults', { ...set, status: 502 });
    const { body: later } = await two.control('POST', '/control/faults', { ...set, status: 504 });
    expect([await list(one), await list(two)]).toEqual([502, 502]);
    await two.control(
      'DELETE',
      `/control/faults/${(await two.control('GET', '/control/faults')).body[0].id}`,
    );
    expect([await list(one), await list(two)]).toEqual([504, 504]);
    expect(await one.control('DELETE', `/control/faults/${later.id}`)).toMatchObject({ status: 204 });
    expect(await two.control('DELETE', `/control/faults/${later.id}`)).toMatchObject({ status: 404 });
    expect([await list(one), await list(two)]).toEqual([200, 200]);
  });
});

describe.runIf(hasPostgres() && hasNats())('an event fault set at one gateway', () => {
  const postgres = prepareDatabasesForFile();

  testInCi('applies at the gateway that delivers, and is used up at all (B290)', async () => {
    const { one, two } = await twoGateways(await (await postgres()).newGatewaysUrl());
    await one.control('POST', '/control/accounts', {
      id: 'cards',
      name: 'Cards',
      currency: 'EUR',
      cardOnFile: true,
    });
    await one.contacts.createContact({ id: 'robin', accountId: 'cards', name: 'Robin' });
    await one.contacts.createCard('robin', { id: 'visa', card: 'visa' });
    await one.contacts.createBankAccount({ id: 'bank', accountId: 'cards', name: 'Bank' });
    const { body: made } = await one.control('POST', '/control/tokens', { accountId: 'cards' });
    const receiver = await Receiver.start();
    onTestFinished(() => receiver.close());
    await one.control('POST', '/control/webhooks', { id: 'hook', accountId: 'cards', url: receiver.url });
    const charge = async ({ url }: GatewayOfTest) => {
      const answer = await fetch(`${url}/contact/robin/creditCards/visa/charge`, {
        method: 'POST',
        headers: { authorization: `Bearer ${made.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ amount: 5, to_bank_account_id: 'bank', statement: 'ORDER 1' }),
      });
      expect(answer.status).toBe(200);
    };
    for (const gateway of [one, two]) {
      await gateway.control('POST', '/control/faults', { fault: 'duplicateEvent', accountId: 'cards' });
      const before = receiver.received.length;
      await charge(gateway);
      await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(before + 2);
    }
    for (const gateway of [one, two])
      expect(await gateway.control('GET', '/control/faults')).toMatchObject({ body: [] });
  });
});

describe.runIf(hasPostgres() && hasNats())('a link to the console made at one gateway', () => {
  const postgres = prepareDatabasesForFile();
  const own = { 'sec-fetch-site': 'same-origin' };

  const signIn = (gateway: GatewayOfTest, link: string) =>
    fetch(`${gateway.url}/console/sign-in`, {
      method: 'POST',
      headers: { ...own, origin: gateway.url, 'content-type': 'application/json' },
      body: JSON.stringify({ code: link.split('=')[1] }),
    });
  const send = async (gateway: GatewayOfTest, method: string, path: string, cookie: string) => {
    const headers = { ...own, origin: gateway.url, cookie };
    return (await fetch(gateway.url + path, { method, headers })).status;
  };

  test('signs in once, wherever it is opened, and signing out ends the session everywhere (B161)', async () => {
    const { one, two } = await twoGateways(await (await postgres()).newGatewaysUrl());
    const { body } = await one.control('POST', '/control/console-links');
    expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.now() + 14 * 60_000);
    const answers = await Promise.all([two, one, two].map((gateway) => signIn(gateway, body.url)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401, 401]);
    const cookie = String(answers.map(({ headers }) => headers.get('set-cookie')).find((set) => set)).split(
      ';',
    )[0];
    const session = cookie as string;
    for (const gateway of [one, two])
      expect(await send(gateway, 'GET', '/control/accounts', session)).toBe(200);
    expect(await send(two, 'POST', '/control/console/sign-out', session)).toBe(204);
    for (const gateway of [one, two])
      expect(await send(gateway, 'GET', '/control/accounts', session)).toBe(401);
  });
});

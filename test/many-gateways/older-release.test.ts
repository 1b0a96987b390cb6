import { describe, expect } from 'vitest';
import { hasNats } from '../nats-server.ts';
import { hasOlderRelease, startOlderGateway } from '../older-release.ts';
import { testThoroughly } from '../optional-programs.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { emulate, type GatewayOfTest, twoGateways } from './two-gateways.ts';

const testInCi = testThoroughly();

interface Reply {
  status: number;
  text: string;
}

/** A gateway of an older release shares the database and NATS with one of this release (docs/decisions/0022). */
describe.runIf(hasPostgres() && hasNats() && hasOlderRelease())('gateways of two releases', () => {
  const postgres = prepareDatabasesForFile();

  /**
   * The first terminal is connected to the gateway of this release. The second terminal is connected to the older
   * gateway.
   */
  async function world() {
    const database = await (await postgres()).newGatewaysUrl();
    const { one, nats, terminals, token } = await twoGateways(database);
    const older = await startOlderGateway([
      ...['--database', database, '--nats', nats.url()],
      ...['--control-token', 'control_of_all_gateways'],
    ]);
    const [first, second] = terminals as [(typeof terminals)[0], (typeof terminals)[0]];
    await emulate(one, [first]);
    await emulate(older, [second]);
    const call = async (url: string, path: string, body?: object, key?: string): Promise<Reply> => {
      const response = await fetch(url + path, {
        method: body ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        body: body && JSON.stringify(body),
      });
      return { status: response.status, text: await response.text() };
    };
    return { one, older, first, second, call };
  }

  /** Adds a customer with a saved card, which both gateways charge. */
  async function customer(one: GatewayOfTest): Promise<void> {
    const accountId = 'shop';
    await one.control('PATCH', `/control/accounts/${accountId}`, { cardOnFile: true });
    await one.control('POST', '/control/bank-accounts', { id: 'bank', accountId, name: 'Bank' });
    await one.control('POST', '/control/contacts', { id: 'robin', accountId, name: 'Robin' });
    const card = await one.control('POST', '/control/contacts/robin/credit-cards', {
      id: 'visa',
      card: 'visa',
    });
    expect(card.status).toBe(201);
  }

  const order = { paymentTransaction: { amountsReq: { requestedAmount: 12.5 } } };
  const cases = (['this', 'older'] as const).flatMap((runs) =>
    (['this', 'older'] as const).map((asked) => [runs, asked] as const),
  );

  testInCi(
    'answer each other’s payments with the same bytes, abort them, and give nothing back (B496)',
    async () => {
      const { one, older, first, second, call } = await world();
      let payment = '';
      for (const [runs, asked] of cases) {
        const terminal = runs === 'this' ? first : second;
        const { url } = asked === 'this' ? one : older;
        const pay = (key: string) => call(url, `/terminals/${terminal.id}/payment-request`, order, key);
        const keys = [`paid ${runs} ${asked}`, `aborted ${runs} ${asked}`] as const;

        const paying = pay(keys[0]);
        await tapAt(one, terminal.poiId);
        const paid = await paying;
        expect(paid).toMatchObject({ status: 200, text: expect.stringContaining('"paymentReceipt"') });
        payment = JSON.parse(paid.text).identifier;
        const status = `/payment-requests/status?idempotencyKey=${encodeURIComponent(keys[0])}`;
        for (const gateway of [one, older]) expect(await call(gateway.url, status)).toEqual(paid);
        expect(await pay(keys[0])).toEqual(paid);

        const held = pay(keys[1]);
        await one.control('GET', `/control/terminals/${terminal.poiId}/screen?until=presentCard`);
        expect((await call(url, '/payment-requests/abort', { idempotencyKey: keys[1] })).status).toBe(204);
        expect(await held).toMatchObject({ status: 200, text: expect.stringContaining('"aborted"') });
      }
      for (const body of [{ payment }, { amount: 5 }])
        for (const { poiId } of [first, second])
          expect(await one.control('POST', `/control/terminals/${poiId}/refund`, body)).toMatchObject({
            status: 409,
            body: { error: 'olderGateway' },
          });
      expect((await one.control('GET', '/control/books')).body).toMatchObject({ agree: true, open: 0 });
      expect(warnings(one)).toEqual([]);
    },
  );

  testThoroughly()(
    'refund and capture each other’s debits, and give back no more than was taken',
    async () => {
      const { one, older, call } = await world();
      await customer(one);
      const charge = { amount: 30, to_bank_account_id: 'bank', statement: 'ORDER 1' };
      const back = { amount: 20, reason: 'customer_request' };
      for (const [takes, gives] of [
        [one, older],
        [older, one],
      ] as const) {
        const at = '/contact/robin/creditCards/visa';
        const charged = await call(takes.url, `${at}/charge`, charge);
        expect(charged.status, charged.text).toBe(200);
        const debit = JSON.parse(charged.text).debit_id;
        const refunds = `/debit/${debit}/refunds`;
        const both = await Promise.all([takes, gives].map(({ url }) => call(url, refunds, back)));
        expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
        const listed = await Promise.all([takes, gives].map(({ url }) => call(url, refunds)));
        expect(listed[0]).toEqual(listed[1]);

        const held = JSON.parse((await call(takes.url, `${at}/preauthorize`, charge)).text).debit_id;
        expect((await call(gives.url, `/debit/${held}/capture`, {})).status).toBeLessThan(300);
        expect((await call(takes.url, `/debit/${held}/capture`, {})).status).toBe(409);
      }
      const { body: books } = await one.control('GET', '/control/books');
      expect(books.debits).toMatchObject({ debits: 4, differences: [] });
    },
  );
});

async function tapAt(gateway: GatewayOfTest, poiId: string): Promise<void> {
  await gateway.control('GET', `/control/terminals/${poiId}/screen?until=presentCard`);
  await gateway.control('POST', `/control/terminals/${poiId}/tap`, { card: 'visa-credit' });
}

function warnings({ ownRuntime }: GatewayOfTest): string[] {
  return ownRuntime.journal
    .since()
    .flatMap((entry) => (entry.kind === 'warning' ? [entry.data.message] : []));
}

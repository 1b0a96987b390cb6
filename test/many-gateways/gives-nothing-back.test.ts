import { describe, expect } from 'vitest';
import { hasNats } from '../nats-server.ts';
import { testThoroughly } from '../optional-programs.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { emulate, twoGateways } from './two-gateways.ts';

const testInCi = testThoroughly();

/**
 * Returns SQL that writes the database row of a gateway of an older release. The statement leaves out the column for
 * refunds, because the older gateway does not know that column.
 */
const beat = (seenMsAgo: number) =>
  `insert into gateways (id, name, seen_at, ended)
   values ('older', 'older', (extract(epoch from clock_timestamp()) * 1000)::bigint - ${seenMsAgo}, 0)
   on conflict (id) do update set seen_at = excluded.seen_at`;

describe.runIf(hasPostgres() && hasNats())('beside a gateway of an older release', () => {
  const postgres = prepareDatabasesForFile();

  testInCi('no gateway gives anything back, until the older one is gone (B496, B501)', async () => {
    const server = await postgres();
    const { one, two, terminals, token, database } = await twoGateways(await server.newGatewaysUrl());
    const { id, poiId } = terminals[0] as { id: string; poiId: string };
    await emulate(one, [terminals[0] as (typeof terminals)[0]]);
    const at = `/control/terminals/${poiId}`;
    expect((await one.control('GET', `${at}/screen?until=idle`)).status).toBe(200);
    const shopper = { card: 'visa-credit', entry: 'Contactless', thinkMs: 0 };
    expect(await one.control('PUT', `${at}/shopper`, shopper)).toMatchObject({ status: 200 });
    const paid = await fetch(`${two.url}/terminals/${id}/payment-request`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 12.5 } } }),
    });
    const { identifier: payment } = (await paid.json()) as { identifier: string };
    const giveBack = (gateway: typeof one, body: object) =>
      gateway.control('POST', `${at}/refund`, { wait: true, ...body });

    // the older gateway's last sign of life lies a minute in the future, so that gateway counts as alive for the
    // whole test
    await server.sql(beat(-60_000), database);
    for (const gateway of [one, two])
      for (const body of [{ payment }, { amount: 5 }])
        expect(await giveBack(gateway, body)).toMatchObject({ status: 409, body: { error: 'olderGateway' } });
    expect((await one.control('GET', '/control/payments')).body).toHaveLength(1);

    await server.sql(beat(60_000), database);
    expect(await giveBack(two, { payment, amount: 5 })).toMatchObject({
      status: 200,
      body: { kind: 'reversal', original: payment, result: 'success' },
    });
    expect(await giveBack(one, { payment, amount: 7.51 })).toMatchObject({
      status: 422,
      body: { error: 'amountExceedsRest' },
    });
    const { body } = await two.control('GET', `/control/payments/${payment}`);
    expect(body).toMatchObject({ givenBack: 5 });
  });
});

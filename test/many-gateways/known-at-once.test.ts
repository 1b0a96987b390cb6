import { describe, expect, test } from 'vitest';
import { hasNats } from '../nats-server.ts';
import { testThoroughly } from '../optional-programs.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { type GatewayOfTest, twoGateways } from './two-gateways.ts';

const testInCi = testThoroughly();

describe.runIf(hasPostgres() && hasNats())('a change by the control API at one gateway', () => {
  const postgres = prepareDatabasesForFile();
  const rename = ({ control }: GatewayOfTest, name: string) =>
    control('PATCH', '/control/accounts/shop', { name });
  const nameAt = ({ accounts }: GatewayOfTest) => accounts.account('shop').name;

  test('is known to the others before its answer, so a payment that arrives there next is decided by it', async () => {
    const { one, two } = await twoGateways(await (await postgres()).newGatewaysUrl());
    const known: string[] = [];
    for (let round = 0; round < 30; round++) {
      await rename(one, `Shop ${round}`);
      known.push(nameAt(two));
    }
    expect(known).toEqual(known.map((_, round) => `Shop ${round}`));
  });

  testInCi('is known there before the answer for a saved card, too', async () => {
    const { one, two, token } = await twoGateways(await (await postgres()).newGatewaysUrl());
    await one.control('PATCH', '/control/accounts/shop', { cardOnFile: true });
    await one.control('POST', '/control/bank-accounts', { id: 'bank', accountId: 'shop', name: 'Bank' });
    await one.control('POST', '/control/contacts', { id: 'robin', accountId: 'shop', name: 'Robin' });
    const card = '/control/contacts/robin/credit-cards';
    await one.control('POST', card, { id: 'saved', card: 'visa' });
    const charge = async () => {
      const { status } = await fetch(`${two.url}/contact/robin/creditCards/saved/charge`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ amount: 5, to_bank_account_id: 'bank', statement: 'ORDER 1' }),
      });
      return status;
    };
    const charged: number[] = [];
    for (let round = 0; round < 20; round++) {
      await one.control('PATCH', `${card}/saved`, { card: round % 2 ? 'declined' : 'visa' });
      charged.push(await charge());
    }
    expect(charged).toEqual(charged.map((_, round) => (round % 2 ? 402 : 200)));
  });

  testInCi(
    'is answered even if another gateway cannot be reached, and that gateway finds the change a second later',
    async () => {
      const { one, two } = await twoGateways(await (await postgres()).newGatewaysUrl());
      await two.cluster?.hints.close();
      expect((await rename(one, 'Shoppe')).status).toBe(200);
      await expect.poll(() => nameAt(two), { timeout: 20_000 }).toBe('Shoppe');
    },
  );
});

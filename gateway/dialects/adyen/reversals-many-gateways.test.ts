import { describe, expect, test } from 'vitest';
import { testThoroughly } from '../../../test/optional-programs.ts';
import { prepareDatabasesForFile } from '../../../test/postgres-for-file.ts';
import { hasPostgres } from '../../../test/postgres-programs.ts';
import { compareBooks } from '../../acquirer/books.ts';
import {
  type ClusterGateway,
  deviceKey,
  openClusterGateways,
  token,
} from '../../cluster/payments/many-gateways.fixture.ts';
import { TestTerminal } from '../../payments/test-terminal.fixture.ts';
import { Till } from './till.fixture.ts';

const testInCi = testThoroughly();

const tillOf = ({ gateway: { url } }: ClusterGateway, poiId: string) =>
  new Till({ url, token }, token, poiId);
type Reply = Awaited<ReturnType<Till['reverse']>>;
const reversalIn = ({ body }: Reply) => body.SaleToPOIResponse.ReversalResponse;

describe.runIf(hasPostgres())('several gateways that give money back', () => {
  const server = prepareDatabasesForFile();

  /** Opens two gateways, each with one terminal, and makes a payment of 25.00 at the first gateway. */
  async function setup() {
    const [one, other] = (await openClusterGateways(await server(), 2, { adyen: true })) as [
      ClusterGateway,
      ClusterGateway,
    ];
    const { terminals } = one.gateway;
    await terminals.createTerminal({
      id: '019b0000-0000-7000-8000-000000000003',
      poiId: 'V400m-2',
      storeId: '019b0000-0000-7000-8000-000000000001',
      deviceKey: `${deviceKey}-2`,
    });
    const here = await one.connect();
    const url = other.gateway.url.replace('http', 'ws');
    const there = new TestTerminal(other.gateway.runtime, {
      url,
      poiId: 'V400m-2',
      deviceKey: `${deviceKey}-2`,
    });
    await expect
      .poll(() => other.gateway.terminals.byPoiId('V400m-2')?.poiId, { timeout: 60_000 })
      .toBe('V400m-2');
    await there.connect();
    const till = tillOf(one, 'V400m-1');
    const paying = till.pay('1', 25);
    const request = await here.next('PaymentRequest');
    const { PspReference: reference } = await here.authorize(request);
    here.approve(request);
    await paying;
    return { one, other, here, there, till, reference };
  }

  test('give one payment back once if two begin at once (B490)', async () => {
    const { one, other, here, there, till, reference } = await setup();
    void here.giveBack();
    void there.giveBack();
    const replies = await Promise.all([
      till.reverse('2', reference),
      tillOf(other, 'V400m-2').reverse('3', reference),
    ]);
    const results = replies.map((reply) => reversalIn(reply).Response.Result);
    expect(results.toSorted()).toEqual(['Failure', 'Success']);
    const refused = replies.map(reversalIn).find(({ Response }) => Response.Result === 'Failure');
    expect(new URLSearchParams(refused.Response.AdditionalResponse).get('message')).toBe(
      'The whole payment was given back already',
    );
    expect(await compareBooks(one.gateway.store)).toMatchObject({ agree: true, concluded: 2, open: 0 });
  }, 120_000);

  test('give money back at a terminal of another gateway (B493)', async () => {
    const { one, other, here, reference } = await setup();
    const reply = tillOf(other, 'V400m-1').reverse('2', reference, { amount: 10 });
    await here.giveBack();
    expect(reversalIn(await reply)).toMatchObject({ Response: { Result: 'Success' }, ReversedAmount: 10 });
    expect(await compareBooks(one.gateway.store)).toMatchObject({ agree: true, concluded: 2, open: 0 });
  }, 120_000);

  testInCi(
    'answer a repeated message with its outcome at any gateway, even if nothing is left to give back (B453)',
    async () => {
      const { other, here, till, reference } = await setup();
      const reply = till.reverse('2', reference);
      await here.giveBack();
      const { text } = await reply;
      expect(text).toContain('"Success"');
      expect((await tillOf(other, 'V400m-1').reverse('2', reference)).text).toBe(text);
    },
    120_000,
  );

  testInCi(
    'find at one gateway a payment that failed at another before the host heard of it (B491)',
    async () => {
      const { one, other, here, there, till } = await setup();
      const named = async (name: string) => {
        const { Response } = reversalIn(await tillOf(other, 'V400m-2').reverse('3', name));
        return [Response.ErrorCondition, new URLSearchParams(Response.AdditionalResponse).get('message')];
      };
      const paying = till.pay('2', 25);
      here.refuse(await here.next('PaymentRequest'), 'Cancel');
      const { POIData } = (await paying).body.SaleToPOIResponse.PaymentResponse;
      const { TransactionID } = POIData.POITransactionID;
      expect(await named(`${TransactionID}x`)).toMatchObject(['NotFound', expect.anything()]);
      expect(await named(TransactionID)).toEqual(['NotAllowed', 'The payment failed: nothing was charged']);
      const odd = till.pay('4', 25);
      const { header, body } = await here.next('PaymentRequest');
      here.send('PaymentResponse', header.ServiceID, {
        Response: { Result: 'Failure', ErrorCondition: 'Cancel' },
        SaleData: body.SaleData,
        POIData: { POITransactionID: { TransactionID: 'V\u0000'.repeat(5000), TimeStamp: '' } },
      });
      expect((await odd).text).toContain('"Cancel"');
      expect(there.received).toEqual([]);
      expect(await compareBooks(one.gateway.store)).toMatchObject({ agree: true, concluded: 3, open: 0 });
    },
    120_000,
  );

  testInCi(
    'refuse reversals while a gateway of an older release lives, and accept payments (B496)',
    async () => {
      const { one, here, till, reference } = await setup();
      const older = { id: 'older', name: 'older', ended: 0, gives_back: null };
      const { seen_at } = await one.gateway.store.read((db) =>
        db.selectFrom('gateways').select('seen_at').executeTakeFirstOrThrow(),
      );
      await one.gateway.store.write((db) =>
        db
          .insertInto('gateways')
          .values({ ...older, seen_at: Number(seen_at) + 60_000 })
          .execute(),
      );
      const refused = [
        await till.reverse('2', reference),
        await till.pay('3', 5, { payment: { PaymentData: { PaymentType: 'Refund' } } }),
      ];
      for (const { text } of refused) {
        expect(text).toContain('UnavailableService');
        expect(decodeURIComponent(text)).toContain('A gateway of an older release');
      }
      const paying = till.pay('4', 5);
      await here.pay();
      expect((await paying).body.SaleToPOIResponse.PaymentResponse.Response.Result).toBe('Success');
      await one.gateway.store.write((db) => db.deleteFrom('gateways').where('id', '=', 'older').execute());
      const reply = till.reverse('5', reference);
      await here.giveBack();
      expect(reversalIn(await reply).Response.Result).toBe('Success');
    },
    120_000,
  );
});

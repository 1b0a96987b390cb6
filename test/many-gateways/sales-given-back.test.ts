import { describe, expect, vi } from 'vitest';
import { Till } from '../../gateway/dialects/adyen/till.fixture.ts';
import type { Sale } from '../../shared/sales/sale.ts';
import { hasNats } from '../nats-server.ts';
import { testThoroughly } from '../optional-programs.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { emulate, type GatewayOfTest, twoGateways } from './two-gateways.ts';

const testInCi = testThoroughly();

const sold = (TransactionID: string) => ({
  sale: { SaleTransactionID: { TransactionID, TimeStamp: '2026-01-01T00:00:00.000Z' } },
});
const refund = { payment: { PaymentData: { PaymentType: 'Refund' } } };

/**
 * Returns those parts of a sale that the database knows too. The requests are left out, because only the journal has
 * them.
 */
const storedOf = ({ kind, saleId, saleReferenceId, amount, charged, outcomeText, attempts }: Sale) => ({
  ...{ kind, saleId, saleReferenceId, amount, charged, outcomeText },
  attempts: attempts.map((each) => [each.kind, each.payment, each.original, each.outcome, each.charged]),
});

describe.runIf(hasPostgres() && hasNats())('the sales of several gateways', () => {
  const postgres = prepareDatabasesForFile();

  async function shop() {
    const database = await (await postgres()).newGatewaysUrl();
    const { one, two, terminals, token, another } = await twoGateways(database, { adyen: true });
    const [first, second] = terminals as [(typeof terminals)[0], (typeof terminals)[0]];
    await (await emulate(one, [first])).announced;
    await (await emulate(two, [second])).announced;
    const shopper = { card: 'visa-credit', entry: 'Contactless', thinkMs: 0 };
    for (const { poiId } of terminals) {
      await one.control('GET', `/control/terminals/${poiId}/screen?until=idle`);
      await one.control('PUT', `/control/terminals/${poiId}/shopper`, shopper);
    }
    const till = ({ url }: GatewayOfTest, { poiId } = first) => new Till({ url, token }, token, poiId);
    return { one, two, another, second, till };
  }

  const salesAt = async (gateway: GatewayOfTest, query = ''): Promise<Sale[]> =>
    (await gateway.control('GET', `/control/sales${query}`)).body.sales;

  testInCi(
    'show what is given back with its payment, whichever gateway accepted it, and in the database alone (B510)',
    async () => {
      const { one, two, another, second, till } = await shop();
      const paid = await till(one).pay('1', 25, sold('order-1'));
      const original = paid.body.SaleToPOIResponse.PaymentResponse.POIData.POITransactionID.TransactionID;
      const reverse = async (back: Till, serviceId: string, amount: number) => {
        const { body } = await back.reverse(serviceId, original, { amount, ...sold('return-9') });
        expect(body.SaleToPOIResponse.ReversalResponse.Response.Result).toBe('Success');
      };
      await reverse(till(two, second), '2', 10);
      await reverse(till(two), '3', 5);
      await till(two, second).pay('4', 7.5, { ...refund, ...sold('return-2') });
      const expected = [
        { kind: 'cardRefund', saleReferenceId: 'POS1 return-2', charged: -7.5, outcomeText: 'refunded' },
        {
          ...{ kind: 'payment', saleReferenceId: 'POS1 order-1', amount: 25, charged: 10 },
          outcomeText: 'approved, 15.00 given back',
        },
      ];
      for (const gateway of [one, two])
        await vi.waitFor(async () => expect(await salesAt(gateway)).toMatchObject(expected), {
          timeout: 60_000,
          interval: 50,
        });
      const known = await salesAt(one);
      expect(known[1]?.attempts.map(({ kind, told }) => [kind, told])).toEqual([
        ['payment', 'told'],
        ['reversal', 'told'],
        ['reversal', 'told'],
      ]);
      for (const gateway of [one, two]) await gateway.close();
      const three = await another('three');
      expect((await salesAt(three)).map(storedOf)).toEqual(known.map(storedOf));
      expect(await salesAt(three, '?kind=cardRefund')).toHaveLength(1);
      expect(await salesAt(three, '?kind=payment')).toHaveLength(1);
      const reversal = known[1]?.attempts[1]?.payment;
      expect((await three.control('GET', `/control/sales/${reversal}`)).body.saleId).toBe(known[1]?.saleId);
      expect((await three.control('GET', '/control/books')).body).toMatchObject({ agree: true });
    },
  );
});

import { describe, expect, test } from 'vitest';
import { Till } from '../../gateway/dialects/adyen/till.fixture.ts';
import { recordRun, replayScenario } from './replay.fixture.ts';

/** Returns the amount of each refund that the host made. */
const givenBackIn = (journal: Awaited<ReturnType<typeof replayScenario>>) =>
  journal.flatMap((entry) => (entry.kind === 'ledger.refunded' ? [entry.data.amount] : []));

describe('a recording of money that is given back can be played again (B508)', () => {
  test("by a till of Adyen's Terminal API: reversed in part, asked about, and refunded to a card", async () => {
    const scenario = await recordRun(
      async (harness) => {
        const { stack, poiId } = harness;
        const till = new Till(
          { url: stack.gateway.url, token: stack.tokens[0]?.token ?? '' },
          undefined,
          poiId,
        );
        const paying = till.pay('1', 12.5);
        await harness.until('presentCard');
        await harness.act('tap', { card: 'visa-credit' });
        const { POIData } = (await paying).body.SaleToPOIResponse.PaymentResponse;
        const { TransactionID } = POIData.POITransactionID;
        await till.reverse('2', TransactionID, { amount: 5 });
        await till.reverse('2', TransactionID, { amount: 5 });
        await till.reverse('3', TransactionID.split('.')[1], { amount: 8 });
        const refunding = till.pay('4', 7, { payment: { PaymentData: { PaymentType: 'Refund' } } });
        await harness.until('presentCard');
        await harness.act('tap', { card: 'visa-credit' });
        await refunding;
        await till.reverse('5', 'of-nobody');
      },
      { adyen: true },
    );
    expect(scenario).toContain(`  - refund: 5
    of: sale
    api: adyen
    key: "2"
`);
    expect(scenario).toContain('  - expect: notAllowed\n');
    expect(scenario).toMatch(
      / {2}- refund: 7\n {4}api: adyen\n {4}key: "4"\n {4}reference: \S+\n {4}as: back-\d\n/,
    );
    expect(givenBackIn(await replayScenario(scenario))).toEqual([500, 700]);
  });

  test('over the control API', async () => {
    const scenario = await recordRun(async (harness) => {
      const paying = harness.pay(12.5, {}, { 'idempotency-key': 'order-1' });
      await harness.until('presentCard');
      await harness.act('tap', { card: 'visa-credit' });
      const payment = (await paying).body.identifier;
      await harness.act('refund', { payment, amount: 5, wait: true });
      await harness.act('refund', { payment, wait: true, customerLanguage: 'de' });
      const refunding = harness.act('refund', { amount: 7, wait: true });
      await harness.until('presentCard');
      await harness.act('press', { key: 'cancel' });
      await refunding;
    });
    expect(scenario).toContain(`  - refund at the terminal: 5
    of: sale
    as: back
  - expect: success
    of: back
  - refund at the terminal: all
    of: sale
    language: de
    as: back-2
`);
    expect(scenario).toContain('  - expect: cancel\n    of: back-3\n');
    expect(givenBackIn(await replayScenario(scenario))).toEqual([500, 750]);
  });
});

import { expect, test } from 'vitest';
import { Till } from '../../gateway/dialects/adyen/till.fixture.ts';
import { stackHarness } from '../../test/stack/stack-harness.ts';
import { lintJournal } from './lint-journal.ts';

test('excessive or repeated reversals are no reuse of a key, and another body with the same key is (B509)', async () => {
  const harness = await stackHarness({ adyen: true });
  const { stack, poiId } = harness;
  const till = new Till({ url: stack.url, token: stack.tokens[0]?.token ?? '' }, undefined, poiId);
  const paying = till.pay('1', 25);
  await harness.until('presentCard');
  await harness.act('tap', { card: 'visa-credit' });
  const { POIData } = (await paying).body.SaleToPOIResponse.PaymentResponse;
  const refused = await till.reverse('2', POIData.POITransactionID.TransactionID, { amount: 26 });
  expect(refused.body.SaleToPOIResponse.ReversalResponse.Response).toMatchObject({
    ErrorCondition: 'NotAllowed',
  });
  await till.reverse('2', POIData.POITransactionID.TransactionID, { amount: 26 });
  await till.reverse('3', POIData.POITransactionID.TransactionID, { amount: 20 });
  await till.reverse('3', POIData.POITransactionID.TransactionID, { amount: 20 });
  const reused = () => lintJournal(harness.journal()).filter(({ rule }) => rule === 'reused-key');
  expect(reused()).toEqual([]);

  const found = (id: string) => ({
    what: expect.stringContaining(`the ServiceID ${id} came a second time`),
  });
  await till.pay('1', 26);
  expect(reused()).toMatchObject([found('1')]);
  await till.reverse('3', POIData.POITransactionID.TransactionID, { amount: 5 });
  await till.reverse('1', POIData.POITransactionID.TransactionID, { amount: 5 });
  expect(reused()).toMatchObject([found('1'), found('3')]);
});

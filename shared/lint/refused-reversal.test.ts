import { expect, test } from 'vitest';
import { Till } from '../../gateway/dialects/adyen/till.fixture.ts';
import { stackHarness } from '../../test/stack/stack-harness.ts';
import { lintJournal } from './lint-journal.ts';

test('a reversal of too much is no key that is used again; a payment with another body is (B509)', async () => {
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
  const reused = () => lintJournal(harness.journal()).filter(({ rule }) => rule === 'reused-key');
  expect(reused()).toEqual([]);

  await till.pay('1', 26);
  expect(reused()).toMatchObject([{ what: expect.stringContaining('the ServiceID 1 came a second time') }]);
});

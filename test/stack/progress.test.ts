import { expect, test } from 'vitest';
import { stackHarness } from './stack-harness.ts';

test('a payment reports its progress as nexo display events, even if several happen at once', async () => {
  const harness = await stackHarness();
  const held = harness.pay(10, { gratuity: { enabled: true } });
  await harness.until('tip');
  await harness.act('press', { key: '2' });
  await harness.until('presentCard');
  await harness.act('insert', { card: 'visa-credit' });
  await harness.until('pin');
  await harness.act('press', { keys: ['1', '2', '3', '4', 'enter'] });
  await held;
  await harness.act('remove');
  await harness.settled();
  const events = harness
    .journal('payment.progressed')
    .map(({ data }) => ('event' in data ? data.event : undefined));
  expect(events).toEqual([
    'TENDER_CREATED',
    'ASK_GRATUITY',
    'GRATUITY_ENTERED',
    'CARD_INSERTED',
    'APPLICATION_SELECTED',
    'WAIT_FOR_PIN',
    'PIN_ENTERED',
    'TENDER_FINAL',
    'CARD_REMOVED',
    'PRINT_RECEIPT',
    'RECEIPT_PRINTED',
  ]);
});

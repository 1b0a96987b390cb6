import { expect, test } from 'vitest';
import { stackBed } from './stack-bed.ts';

test('a payment tells its progress as nexo display events, also those of one moment', async () => {
  const bed = await stackBed();
  const held = bed.pay(10, { gratuity: { enabled: true } });
  await bed.until('tip');
  await bed.act('press', { key: '2' });
  await bed.until('presentCard');
  await bed.act('insert', { card: 'visa-credit' });
  await bed.until('pin');
  await bed.act('press', { keys: ['1', '2', '3', '4', 'enter'] });
  await held;
  await bed.act('remove');
  await bed.settled();
  const events = bed
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

import { expect, test } from 'vitest';
import { approvalAnswer, refundChanges, startPaymentHarness } from './payment-harness.fixture.ts';

function refunding(changes = {}) {
  const harness = startPaymentHarness();
  harness.pay({ ...refundChanges, ...changes });
  return harness;
}

test.each([
  ['insert', 'offline-pin', 'pin'],
  ['insert', 'online-pin', 'authorizing'],
  ['insert', 'signature', 'authorizing'],
  ['insert', 'no-pin', 'authorizing'],
  ['tap', 'visa-credit', 'authorizing'],
  ['tap', 'phone', 'authorizing'],
  ['swipe', 'visa-debit', 'insertInstead'],
  ['swipe', 'stripe-only', 'authorizing'],
] as const)('%s %s at a refund leads to %s', (how, card, state) => {
  const harness = refunding();
  harness[how](card);
  expect(harness.state).toBe(state);
});

test('a tap above the limit needs no PIN at a refund, though a payment would (B477)', () => {
  const [paying, refunded] = [startPaymentHarness(), refunding({ requestedMinor: 5_001 })];
  paying.pay({ requestedMinor: 5_001 });
  for (const harness of [paying, refunded]) harness.tap('tap-then-pin');
  expect([paying.state, refunded.state]).toEqual(['pin', 'authorizing']);
});

test('a stripe whose PIN the issuer would check is accepted without a PIN', () => {
  const harness = refunding({ ways: ['MagStripe'] });
  harness.swipe('visa-debit');
  harness.answer(approvalAnswer);
  expect(harness.asked[0]?.onlinePin).toBeUndefined();
  expect(harness.outcome()?.response.PaymentResult?.AuthenticationMethod).toBeUndefined();
});

test('the receipt of a refund says that the card wants a signature', () => {
  const harness = refunding();
  harness.insert('signature');
  harness.answer(approvalAnswer);
  expect(harness.outcome()?.response.PaymentResult?.AuthenticationMethod).toEqual(['PaperSignature']);
});

test('the offline PIN of a refund can be tried three times, and then the card is blocked', () => {
  const harness = refunding();
  harness.insert('offline-pin');
  for (let tries = 0; tries < 3; tries++) harness.press('9999', 'enter');
  expect(harness.outcome()).toMatchObject({ result: 'Failure', condition: 'WrongPIN' });
  expect(harness.cards.isBlocked('offline-pin')).toBe(true);
  expect(harness.asked).toEqual([]);
});

test.each([
  ['tap', 'mc-prepaid', {}, 'PaymentRestriction', 'Card cannot be refunded'],
  ['tap', 'visa-credit', { brands: ['jcb'] }, 'PaymentRestriction', 'Card brand not allowed'],
  ['insert', 'expired', {}, 'InvalidCard', '228 Card expired'],
  ['insert', 'chip-dead', { ways: ['ICC'] }, 'InvalidCard', 'Card could not be read'],
] as const)('%s %s (%j) cannot be refunded: %s, %s (B478)', (how, card, changes, condition, reason) => {
  const harness = refunding(changes);
  for (let tries = 0; tries < 3; tries++) {
    harness[how](card);
    harness.remove();
  }
  expect(harness.outcome()).toMatchObject({ condition, pairs: { refusalReason: reason } });
  expect(harness.asked).toEqual([]);
});

test('a prepaid card that cannot be refunded can still pay', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.tap('mc-prepaid');
  expect(harness.state).toBe('authorizing');
});

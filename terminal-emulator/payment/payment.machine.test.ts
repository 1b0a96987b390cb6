import { expect, test } from 'vitest';
import { entryModes } from '../../shared/nexo/enums.ts';
import { makeCardFromRead, makeUnreadableCard } from '../readers/reader-card.ts';
import { makeAuthorizationRequest } from './authorization.ts';
import { naturalPacing } from './pacing.ts';
import { approvalAnswer, makeRefusalAnswer, startPaymentHarness } from './payment-harness.fixture.ts';

const tips = (gratuity: object) => ({ gratuity: { custom: false, maximumTotal: 1_000_000, ...gratuity } });

test('the terminal asks for a card, the host approves, and the result is sent before the card is out (B35)', () => {
  const harness = startPaymentHarness();
  harness.pay();
  expect(harness.state).toBe('presentCard');
  harness.insert('no-pin');
  expect(harness.state).toBe('authorizing');
  harness.answer(approvalAnswer);
  expect(harness.outcome()).toMatchObject({ result: 'Success', card: { EntryMode: ['ICC'] } });
  expect(harness.state).toBe('removeCard');
  expect(harness.printed).toEqual([]);
  harness.remove();
  expect(harness.printed).toHaveLength(1);
  expect(harness.state).toBe('waiting');
});

test('a tap is approved and leaves no card to remove', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.tap('visa-credit');
  harness.answer(approvalAnswer);
  expect(harness.outcome()).toMatchObject({
    result: 'Success',
    card: { EntryMode: ['Contactless'], PaymentBrand: 'visa', MaskedPan: '411111 **** 1111' },
    pairs: { posEntryMode: 'CLESS_CHIP', cardSummary: '1111', cardScheme: 'visa', fundingSource: 'CREDIT' },
  });
  expect(harness.state).toBe('waiting');
});

test('after a tap that cannot be read the terminal asks again, for any entry mode, until a card is read', () => {
  const harness = startPaymentHarness();
  const failedTap = { card: makeUnreadableCard('Contactless'), blocked: [], at: harness.clock.now() };
  harness.pay();
  expect(harness.payment.tapFailure).toBeUndefined();
  harness.actor.send({ type: 'tapped', presented: failedTap });
  expect([harness.state, harness.payment.tapFailure, harness.notified]).toEqual([
    'presentCard',
    'unreadable',
    ['TENDER_CREATED'],
  ]);
  harness.swipe('stripe-dead');
  expect([harness.state, harness.payment.tapFailure]).toEqual(['presentCard', undefined]);
  harness.actor.send({ type: 'tapped', presented: failedTap });
  harness.tap('visa-credit');
  harness.answer(approvalAnswer);
  expect(harness.outcome()).toMatchObject({ result: 'Success', card: { EntryMode: ['Contactless'] } });
});

test('several cards that are tapped together pay nothing, and the terminal asks for a single card', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.present('tapped', makeUnreadableCard('Contactless'));
  harness.present('tapped', makeUnreadableCard('Contactless', 'several'));
  expect([harness.state, harness.payment.tapFailure]).toEqual(['presentCard', 'several']);
  harness.tap('visa-credit');
  expect(harness.state).toBe('authorizing');
});

test('a stripe card is swiped and its holder signs', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.swipe('stripe-only');
  harness.answer(approvalAnswer);
  expect(harness.outcome()).toMatchObject({
    result: 'Success',
    pairs: { posEntryMode: 'MAGSTRIPE' },
    response: { PaymentResult: { AuthenticationMethod: ['PaperSignature'] } },
  });
});

test('a card number can be corrected while it is typed, and needs twelve digits', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.press('4');
  expect(harness.state).toBe('keyedNumber');
  harness.press('2429', 'clear', '242424', 'enter');
  expect(harness.payment).toMatchObject({ typed: '4242242424' });
  expect(harness.state).toBe('keyedNumber');
  harness.press('24', 'enter');
  expect(harness.state).toBe('keyedExpiry');
  harness.press('1', 'enter');
  expect(harness.state).toBe('keyedExpiry');
});

test('typing a test card by number and expiry pays with it', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.press('4242424242424242', 'enter', '1249', 'enter');
  harness.answer(approvalAnswer);
  expect(harness.outcome()).toMatchObject({
    result: 'Success',
    pairs: { posEntryMode: 'MKE' },
    card: { EntryMode: ['Keyed'] },
  });
});

test('a number that is no card number is asked for again', async () => {
  const harness = startPaymentHarness(naturalPacing);
  harness.pay();
  harness.press('4242424242424241', 'enter', '1249', 'enter');
  expect(harness.state).toBe('cardUnreadable');
  await harness.clock.advance(naturalPacing.errorMs);
  expect(harness.state).toBe('presentCard');
});

test('an expired date that is typed with a number makes an invalid card', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.press('4242424242424242', 'enter', '1225', 'enter');
  expect(harness.outcome()).toMatchObject({ condition: 'InvalidCard' });
});

test('secrets that were typed are cleared after their use', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.press('4242424242424242', 'enter', '1249', 'enter');
  expect(harness.payment).toMatchObject({ number: '', typed: '' });
  harness.answer(approvalAnswer);
  harness.pay();
  harness.insert('offline-pin');
  harness.press('1234', 'enter');
  expect(harness.payment.typed).toBe('');
});

test.each([
  ['1', 150],
  ['2', 180],
  ['3', 200],
  ['enter', 0],
])('on the tip screen key %s adds %i cents', (key, cents) => {
  const harness = startPaymentHarness();
  harness.pay(tips({ percentages: [15, 18, 20], custom: true }));
  expect(harness.state).toBe('tip');
  harness.press(key);
  harness.tap('visa-credit');
  harness.answer(approvalAnswer);
  expect(harness.outcome()?.pairs).toMatchObject({
    posAuthAmountValue: String(1000 + cents),
    posOriginalAmountValue: '1000',
    posAmountGratuityValue: String(cents),
  });
  expect(harness.outcome()?.response.PaymentResult?.AmountsResp?.TipAmount).toBe(
    cents ? cents / 100 : undefined,
  );
});

test('a fixed tip is added unchanged', () => {
  const harness = startPaymentHarness();
  harness.pay(tips({ fixed: [100, 250] }));
  harness.press('2');
  expect(harness.payment.tipMinor).toBe(250);
});

test('keys without a choice do nothing on the tip screen', () => {
  const harness = startPaymentHarness();
  harness.pay(tips({ fixed: [100, 250] }));
  harness.press('3', '4', '9', 'clear');
  expect(harness.state).toBe('tip');
});

test('a custom tip above the limit is refused on the screen, and the terminal asks again (B27)', () => {
  const harness = startPaymentHarness();
  harness.pay(tips({ custom: true, maximumTotal: 1500 }));
  harness.press('1');
  expect(harness.state).toBe('customTip');
  harness.press('501', 'enter');
  expect(harness.state).toBe('customTip');
  expect(harness.payment).toMatchObject({ tipTooMuch: true, typed: '' });
  harness.press('5');
  expect(harness.payment.tipTooMuch).toBe(false);
  harness.press('00', 'enter');
  expect(harness.state).toBe('presentCard');
  expect(harness.payment.tipMinor).toBe(500);
});

test('a custom tip never makes a total above the largest amount, whatever the limit is (B13)', () => {
  const harness = startPaymentHarness();
  harness.pay({ ...tips({ custom: true, maximumTotal: 10 ** 12 }), requestedMinor: 9_999_999_000 });
  harness.press('1', '1000', 'enter');
  expect(harness.payment).toMatchObject({ tipTooMuch: true, typed: '' });
  harness.press('999', 'enter');
  expect(harness.payment.tipMinor).toBe(999);
});

test('only the requested entry modes are accepted (B21)', () => {
  const harness = startPaymentHarness();
  harness.pay({ ways: ['Contactless'] });
  harness.insert('visa-credit');
  expect(harness.state).toBe('presentCard');
  harness.remove();
  harness.swipe('stripe-only');
  harness.press('4');
  expect(harness.state).toBe('presentCard');
  harness.tap('visa-credit');
  expect(harness.state).toBe('authorizing');
});

test('a card that is put in during the tip prompt is read when the terminal asks for a card', () => {
  const harness = startPaymentHarness();
  harness.pay(tips({ fixed: [100] }));
  harness.insert('no-pin');
  expect(harness.state).toBe('tip');
  harness.press('1');
  expect(harness.state).toBe('authorizing');
});

test('a card of a brand that is not allowed is refused as paymentRestriction (B16, B127)', () => {
  const harness = startPaymentHarness();
  harness.pay({ brands: ['amex', 'jcb'] });
  harness.insert('visa-credit');
  expect(harness.outcome()).toMatchObject({
    condition: 'PaymentRestriction',
    card: { PaymentBrand: 'visa' },
  });
  expect(harness.asked).toEqual([]);
});

test('if a chip card is swiped, the terminal asks to insert it', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.swipe('visa-credit');
  expect(harness.state).toBe('insertInstead');
  harness.insert('visa-credit');
  expect(harness.state).toBe('pin');
});

test('a chip card may be swiped if the stripe is the only entry mode', () => {
  const harness = startPaymentHarness();
  harness.pay({ ways: ['MagStripe'] });
  harness.swipe('visa-credit');
  expect(harness.state).toBe('authorizing');
});

test('a chip that cannot be read three times falls back to the stripe', () => {
  const harness = startPaymentHarness();
  harness.pay();
  for (const expected of ['chipUnreadable', 'chipUnreadable', 'swipeInstead']) {
    harness.insert('chip-dead');
    expect(harness.state).toBe(expected);
    harness.remove();
  }
  harness.insert('chip-dead');
  expect(harness.state).toBe('swipeInstead');
  harness.remove();
  harness.swipe('chip-dead');
  harness.answer(approvalAnswer);
  expect(harness.outcome()).toMatchObject({ result: 'Success', card: { EntryMode: ['MagStripe'] } });
});

test('a dirty chip is read at the second try', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.insert('chip-dirty');
  expect(harness.state).toBe('chipUnreadable');
  harness.remove();
  harness.insert('chip-dirty');
  expect(harness.state).toBe('pin');
});

test('an unreadable chip without another entry mode is an invalid card, and counts as no card read', () => {
  const harness = startPaymentHarness();
  harness.pay({ ways: ['ICC'] });
  for (let i = 0; i < 3; i++) {
    harness.insert('chip-dead');
    harness.remove();
  }
  expect(harness.outcome()).toMatchObject({ condition: 'InvalidCard', card: undefined });
});

test('an unreadable stripe is asked for again', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.swipe('stripe-dead');
  expect(harness.state).toBe('presentCard');
  expect(harness.concluded).toEqual([]);
});

test('a card that is tapped above its limit has to be inserted', () => {
  const harness = startPaymentHarness();
  harness.pay({ requestedMinor: 1001 });
  harness.tap('tap-then-insert');
  expect(harness.state).toBe('insertInstead');
  harness.insert('tap-then-insert');
  expect(harness.state).toBe('pin');
});

test('a tap at exactly its limit is accepted, and the tip counts towards the limit', () => {
  const harness = startPaymentHarness();
  harness.pay({ requestedMinor: 1000 });
  harness.tap('tap-then-insert');
  expect(harness.state).toBe('authorizing');
  harness.answer(approvalAnswer);
  harness.pay({ requestedMinor: 1000, ...tips({ fixed: [1] }) });
  harness.press('1');
  harness.tap('tap-then-insert');
  expect(harness.state).toBe('insertInstead');
});

test('a tap above its limit asks for the PIN if the card says so', () => {
  const harness = startPaymentHarness();
  harness.pay({ requestedMinor: 1001 });
  harness.tap('tap-then-pin');
  expect(harness.state).toBe('pin');
  harness.press('1234', 'enter');
  expect(harness.asked.at(-1)).toMatchObject({ onlinePin: 'Correct', verification: 'OnlinePIN' });
});

test('a tap above its limit is a payment restriction if the card may not be inserted', () => {
  const harness = startPaymentHarness();
  harness.pay({ requestedMinor: 1001, ways: ['Contactless'] });
  harness.tap('tap-then-insert');
  expect(harness.outcome()).toMatchObject({ condition: 'PaymentRestriction' });
});

test('the terminal asks which application of a co-badged card pays', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.insert('credit-debit');
  expect(harness.state).toBe('applicationChoice');
  harness.press('3', '2');
  expect(harness.state).toBe('pin');
  harness.press('1234', 'enter');
  harness.answer(approvalAnswer);
  expect(harness.outcome()).toMatchObject({
    card: { PaymentBrand: 'maestro' },
    pairs: { fundingSource: 'DEBIT' },
  });
});

/** A chip card with two applications that pay from two accounts, as a real reader reads it. */
const twoAccounts = (changes: { first?: object; second?: object; entry?: 'ICC' | 'Contactless' } = {}) => {
  const account = {
    maskedPan: '476173 **** 0010',
    fingerprint: '0123456789ABCDEF',
    brand: 'visa',
    checkDigitValid: true,
    expiry: '1249',
    country: '528',
    sequenceNumber: '01',
    verification: 'none',
    serviceCode: '201',
  } as const;
  const entry = changes.entry ?? 'ICC';
  const first = { ...account, aid: 'A0000000031010', label: 'VISA', priority: 1, ...changes.first };
  const second = {
    ...account,
    aid: 'A0000000043060',
    label: 'MAESTRO',
    priority: 2,
    maskedPan: '679999 **** 0018',
    fingerprint: 'FEDCBA9876543210',
    brand: 'maestro',
    sequenceNumber: '02',
    ...changes.second,
  } as const;
  const applications = [first, second];
  return makeCardFromRead({ ...first, entry, applications, selectedAid: first.aid }, [], [entry])!;
};

/** A card's sequence number and expiry in nexo's form, without the card's number. */
function sensitive(sequence: string) {
  return { CardSeqNumb: sequence, ExpiryDate: '1249' };
}

test.each([
  ['1', { PaymentBrand: 'visa', MaskedPan: '476173 **** 0010', SensitiveCardData: sensitive('01') }],
  ['2', { PaymentBrand: 'maestro', MaskedPan: '679999 **** 0018', SensitiveCardData: sensitive('02') }],
])('the application chosen with key %s is the account that is charged', (key, charged) => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.present('inserted', twoAccounts());
  expect(harness.state).toBe('applicationChoice');
  harness.press(key);
  expect(makeAuthorizationRequest(harness.asked[0]!, 'a1').Card).toMatchObject({
    Brand: charged.PaymentBrand,
    MaskedPan: charged.MaskedPan,
  });
  harness.answer(approvalAnswer);
  expect(harness.outcome()).toMatchObject({ result: 'Success', card: charged });
});

test.each(['debitPreferred', 'brands'] as const)(
  'an application that the request chooses (%s) is the account that is charged, both tapped and inserted',
  (by) => {
    for (const [event, entry] of [
      ['inserted', 'ICC'],
      ['tapped', 'Contactless'],
    ] as const) {
      const harness = startPaymentHarness();
      harness.pay(by === 'brands' ? { brands: ['maestro'] } : { debitPreferred: true });
      harness.present(event, twoAccounts({ entry }));
      harness.answer(approvalAnswer);
      expect(harness.outcome()).toMatchObject({
        result: 'Success',
        card: { PaymentBrand: 'maestro', MaskedPan: '679999 **** 0018', EntryMode: [entry] },
      });
    }
  },
);

test('a card with an expired or blocked account can still pay with its other account', () => {
  const expired = startPaymentHarness();
  expired.pay();
  expired.present('inserted', twoAccounts({ first: { expiry: '0120' } }));
  expired.press('2');
  expect(expired.state).toBe('authorizing');
  const chosen = startPaymentHarness();
  chosen.pay();
  chosen.present('inserted', twoAccounts({ first: { expiry: '0120' } }));
  chosen.press('1');
  expect(chosen.outcome()).toMatchObject({
    condition: 'InvalidCard',
    card: { MaskedPan: '476173 **** 0010' },
  });
  const blocked = startPaymentHarness();
  blocked.cards.block('reader-fedcba9876543210');
  blocked.pay();
  blocked.present('inserted', twoAccounts());
  expect(blocked.state).toBe('applicationChoice');
  blocked.press('2');
  expect(blocked.outcome()).toMatchObject({ result: 'Failure', card: { MaskedPan: '679999 **** 0018' } });
});

test('debitPreferredFlag chooses the debit application without asking (B18)', () => {
  const harness = startPaymentHarness();
  harness.pay({ debitPreferred: true });
  harness.insert('credit-debit');
  expect(harness.state).toBe('pin');
  expect(harness.payment.used?.application.brand).toBe('maestro');
});

test('allowedPaymentBrand leaves only the allowed application of a co-badged card', () => {
  const harness = startPaymentHarness();
  harness.pay({ brands: ['maestro', 'visa'] });
  harness.insert('credit-debit');
  expect(harness.state).toBe('pin');
  expect(harness.payment.used?.application.brand).toBe('maestro');
});

test('a co-badged card that is tapped pays with its first application', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.tap('credit-debit');
  expect(harness.state).toBe('authorizing');
  expect(harness.payment.used?.application.brand).toBe('mc');
});

test('an expired card is invalid (B127)', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.insert('expired');
  expect(harness.outcome()).toMatchObject({
    condition: 'InvalidCard',
    card: { MaskedPan: '400000 **** 0069' },
    pairs: { refusalReason: '228 Card expired' },
  });
});

test('a card is valid to the end of its month', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.tap('visa-credit', { expiry: '0126' });
  expect(harness.state).toBe('authorizing');
  harness.answer(approvalAnswer);
  harness.pay();
  harness.tap('visa-credit', { expiry: '1225' });
  expect(harness.outcome()).toMatchObject({ condition: 'InvalidCard' });
});

test('an offline PIN is checked by the terminal, and the host is asked once it is right', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.insert('offline-pin');
  harness.press('123', 'enter');
  expect(harness.state).toBe('pin'); // three digits are too few, because a PIN has at least four
  harness.press('5', 'clear', '4', 'enter');
  expect(harness.asked.at(-1)).toMatchObject({ onlinePin: undefined, verification: 'OfflinePIN' });
});

test.each(['offline-pin', 'online-pin'])('%s: wrong, then right, is approved', (card) => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.insert(card);
  harness.press('9999', 'enter');
  if (card === 'online-pin') harness.answer(makeRefusalAnswer('WrongPIN'));
  expect(harness.state).toBe('pin');
  expect(harness.payment).toMatchObject({ triesLeft: 2, typed: '' });
  harness.press('1234', 'enter');
  harness.answer(approvalAnswer);
  expect(harness.outcome()).toMatchObject({ result: 'Success' });
});

test.each(['offline-pin', 'online-pin'])(
  '%s: the third wrong PIN ends the payment and blocks the card',
  (card) => {
    const harness = startPaymentHarness();
    harness.pay();
    harness.insert(card);
    for (let i = 0; i < 3; i++) {
      harness.press('9999', 'enter');
      if (card === 'online-pin') harness.answer(makeRefusalAnswer('WrongPIN'));
    }
    expect(harness.outcome()).toMatchObject({ condition: 'WrongPIN' });
    expect(harness.cards.isBlocked(card)).toBe(true);
    harness.remove();
    harness.pay();
    harness.insert(card);
    expect(harness.outcome()).toMatchObject({
      condition: 'Refusal',
      pairs: { refusalReason: '199 Card blocked' },
    });
  },
);

test.each(['offline-pin', 'online-pin'])('%s: every PIN is wrong if the request says so', (card) => {
  const harness = startPaymentHarness();
  harness.pay({ pinAlwaysWrong: true });
  harness.insert(card);
  harness.press('1234', 'enter');
  if (card === 'online-pin') expect(harness.asked.at(-1)?.onlinePin).toBe('Wrong');
  else expect(harness.payment.triesLeft).toBe(2);
});

test('a payment that the host declines is reported with the reasons', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.insert('no-pin');
  harness.answer(makeRefusalAnswer());
  expect(harness.outcome()).toMatchObject({
    result: 'Failure',
    condition: 'Refusal',
    pairs: {
      refusalReason: '210 Not enough balance',
      message: 'NOT_ENOUGH_BALANCE',
      acquirerResponseCode: 'NOT_ENOUGH_BALANCE',
      pspReference: 'PSP1',
    },
  });
  expect(harness.outcome()?.response.PaymentResult?.AmountsResp).toBeUndefined();
  expect(harness.payment.reversal).toBeUndefined();
});

test('a silent host is unreachable after 30 s and is sent a reversal, and its late answer changes nothing (B40)', async () => {
  const harness = startPaymentHarness(naturalPacing);
  harness.pay();
  harness.tap('visa-credit');
  await harness.clock.advance(naturalPacing.readTapMs + 29_999);
  expect(harness.state).toBe('authorizing');
  await harness.clock.advance(1);
  expect(harness.concluded.at(-1)).toMatchObject({ reversal: 'Timeout' });
  expect(harness.outcome()).toMatchObject({ condition: 'UnreachableHost' });
  harness.answer(approvalAnswer);
  expect(harness.state).toBe('declined');
  expect(harness.concluded).toHaveLength(1);
});

test('pulling the card out while the host is asked cancels the payment, with a reversal', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.insert('no-pin');
  harness.remove();
  expect(harness.concluded.at(-1)).toMatchObject({ reversal: 'CardRemoved' });
  expect(harness.outcome()).toMatchObject({ condition: 'Cancel', pairs: { refusalReason: 'card removed' } });
});

test.each([
  ['readingCard', (harness: Harness) => harness.insert('offline-pin')],
  [
    'pin',
    (harness: Harness) => [harness.insert('offline-pin'), harness.clock.advance(naturalPacing.readChipMs)],
  ],
  [
    'applicationChoice',
    (harness: Harness) => [harness.insert('credit-debit'), harness.clock.advance(naturalPacing.readChipMs)],
  ],
])('pulling the card out in %s cancels the payment, with nothing to reverse', async (state, reach) => {
  const harness = startPaymentHarness(naturalPacing);
  harness.pay();
  await Promise.all([reach(harness)].flat());
  expect(harness.state).toBe(state);
  harness.remove();
  expect(harness.outcome()).toMatchObject({ condition: 'Cancel' });
  expect(harness.concluded.at(-1)?.reversal).toBeUndefined();
});

type Harness = ReturnType<typeof startPaymentHarness>;
/**
 * For each prompt: the steps that lead to the prompt, its time limit, and the reason in the payment's result if the
 * time limit is exceeded.
 */
const prompts: [state: string, reach: (harness: Harness) => void, timeoutMs: number, reason: string][] = [
  ['tip', (b) => b.pay(tips({ fixed: [100] })), 60_000, '108 Shopper cancelled tx'],
  [
    'customTip',
    (b) => {
      b.pay(tips({ custom: true }));
      b.press('1');
    },
    60_000,
    '108 Shopper cancelled tx',
  ],
  ['presentCard', (b) => b.pay(), 120_000, '126 Shopper did not present card'],
  [
    'keyedNumber',
    (b) => {
      b.pay();
      b.press('4');
    },
    120_000,
    '126 Shopper did not present card',
  ],
  [
    'keyedExpiry',
    (b) => {
      b.pay();
      b.press('4242424242424242', 'enter');
    },
    120_000,
    '126 Shopper did not present card',
  ],
  [
    'chipUnreadable',
    (b) => {
      b.pay();
      b.insert('chip-dead');
    },
    120_000,
    '126 Shopper did not present card',
  ],
  [
    'swipeInstead',
    (b) => {
      b.pay();
      for (let i = 0; i < 3; i++) {
        b.insert('chip-dead');
        b.remove();
      }
    },
    120_000,
    '126 Shopper did not present card',
  ],
  [
    'insertInstead',
    (b) => {
      b.pay();
      b.swipe('visa-credit');
    },
    120_000,
    '126 Shopper did not present card',
  ],
  [
    'applicationChoice',
    (b) => {
      b.pay();
      b.insert('credit-debit');
    },
    60_000,
    '108 Shopper cancelled tx',
  ],
  [
    'pin',
    (b) => {
      b.pay();
      b.insert('offline-pin');
    },
    60_000,
    '102 Shopper cancelled pin entry',
  ],
];

test.each(prompts)('the red key cancels the payment in %s (B38)', (state, reach) => {
  const harness = startPaymentHarness();
  reach(harness);
  expect(harness.state).toBe(state);
  harness.press('cancel');
  const refusalReason = state === 'pin' ? '102 Shopper cancelled pin entry' : '108 Shopper cancelled tx';
  expect(harness.outcome()).toMatchObject({ condition: 'Cancel', pairs: { refusalReason } });
});

test.each(prompts)('the merchant can abort the payment in %s (B38)', (state, reach) => {
  const harness = startPaymentHarness();
  reach(harness);
  expect(harness.state).toBe(state);
  harness.abort();
  expect(harness.outcome()).toMatchObject({
    condition: 'Aborted',
    pairs: { refusalReason: '104 Merchant cancelled tx' },
  });
});

test.each(prompts)(
  'waiting too long in %s cancels the payment (B40)',
  async (state, reach, timeoutMs, refusalReason) => {
    const harness = startPaymentHarness();
    reach(harness);
    await harness.clock.advance(timeoutMs - 1);
    expect(harness.state).toBe(state);
    await harness.clock.advance(1);
    expect(harness.outcome()).toMatchObject({ condition: 'Cancel', pairs: { refusalReason } });
  },
);

test('typing does not extend the time of a prompt, and each PIN try has its own time (B40)', async () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.insert('offline-pin');
  await harness.clock.advance(59_000);
  harness.press('9999', 'enter');
  await harness.clock.advance(59_000);
  harness.press('9');
  expect(harness.state).toBe('pin');
  await harness.clock.advance(1_000);
  expect(harness.outcome()).toMatchObject({ condition: 'Cancel' });
});

test('from authorizing on, neither an abort nor the red key changes anything', () => {
  const harness = startPaymentHarness(naturalPacing);
  harness.pay({ ways: ['Contactless'] });
  harness.tap('visa-credit');
  harness.actor.send({ type: 'abort' });
  expect(harness.outcome()).toMatchObject({ condition: 'Aborted' });
  const later = startPaymentHarness();
  later.pay();
  later.insert('no-pin');
  later.abort();
  later.press('cancel');
  expect(later.state).toBe('authorizing');
  later.answer(approvalAnswer);
  later.abort();
  later.press('cancel');
  expect(later.outcome()).toMatchObject({ result: 'Success' });
  expect(later.concluded).toHaveLength(1);
});

test('there is a paymentResult only after a card was read, even on failure (B35)', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.press('cancel');
  expect(harness.outcome()?.response.PaymentResult).toBeUndefined();
  harness.pay();
  harness.insert('offline-pin');
  harness.press('cancel');
  expect(harness.outcome()?.response.PaymentResult).toMatchObject({ OnlineFlag: false });
});

test('a new payment is not begun while a card is in the slot', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.insert('no-pin');
  harness.answer(approvalAnswer);
  harness.pay();
  expect(harness.state).toBe('removeCard');
});

test('a new payment ends the display of the result, and the former receipts are still printed', async () => {
  const harness = startPaymentHarness(naturalPacing);
  harness.pay();
  harness.tap('visa-credit');
  await harness.clock.advance(naturalPacing.readTapMs);
  harness.answer(approvalAnswer);
  expect(harness.state).toBe('approved');
  harness.pay({ sale: { ...harness.payment.order.sale, serviceId: 'S2' } });
  expect(harness.printed.map(({ order }) => order.sale.serviceId)).toEqual(['S1']);
  expect(harness.state).toBe('presentCard');
  expect(harness.payment).toMatchObject({ used: undefined, answer: undefined, cardRead: false });
});

test('a new payment is accepted while the terminal prints', async () => {
  const harness = startPaymentHarness(naturalPacing);
  harness.pay();
  harness.tap('visa-credit');
  await harness.clock.advance(naturalPacing.readTapMs);
  harness.answer(approvalAnswer);
  await harness.clock.advance(naturalPacing.resultMs);
  expect(harness.state).toBe('printing');
  harness.pay();
  expect(harness.state).toBe('presentCard');
});

test('with natural pacing each step takes its time', async () => {
  const harness = startPaymentHarness(naturalPacing);
  harness.pay();
  harness.insert('offline-pin');
  await harness.clock.advance(naturalPacing.readChipMs - 1);
  expect(harness.state).toBe('readingCard');
  await harness.clock.advance(1);
  harness.press('9999', 'enter');
  expect(harness.state).toBe('pinWrong');
  await harness.clock.advance(naturalPacing.errorMs);
  harness.press('1234', 'enter');
  harness.answer(approvalAnswer);
  expect(harness.state).toBe('approved');
  await harness.clock.advance(naturalPacing.resultMs);
  expect(harness.state).toBe('removeCard');
  await harness.clock.advance(3_600_000);
  expect(harness.state).toBe('removeCard');
  harness.remove();
  expect(harness.state).toBe('printing');
  await harness.clock.advance(naturalPacing.printMs);
  expect(harness.state).toBe('waiting');
});

test('with instant pacing no timer fires between the actions of people and the host', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.tap('visa-credit');
  harness.answer(approvalAnswer);
  expect(harness.state).toBe('waiting');
  expect(harness.clock.nextDue()).toBeUndefined();
});

test('a power cut clears everything but the card in the slot, and sends nothing', () => {
  const harness = startPaymentHarness();
  harness.pay();
  harness.insert('offline-pin');
  harness.press('12');
  harness.actor.send({ type: 'power.lost' });
  expect(harness.state).toBe('waiting');
  expect(harness.payment).toMatchObject({
    typed: '',
    used: undefined,
    slot: { card: { id: 'offline-pin' } },
  });
  expect(harness.concluded).toEqual([]);
});

test('progress is reported step by step', () => {
  const harness = startPaymentHarness();
  harness.pay(tips({ fixed: [100] }));
  harness.press('1');
  harness.insert('credit-debit');
  harness.press('1', '1234', 'enter');
  harness.answer(approvalAnswer);
  harness.remove();
  expect(harness.notified).toEqual([
    'TENDER_CREATED',
    'ASK_GRATUITY',
    'GRATUITY_ENTERED',
    'CARD_INSERTED',
    'WAIT_FOR_APP_SELECTION',
    'APPLICATION_SELECTED',
    'WAIT_FOR_PIN',
    'PIN_ENTERED',
    'TENDER_FINAL',
    'CARD_REMOVED',
    'PRINT_RECEIPT',
    'RECEIPT_PRINTED',
  ]);
});

test('all entry modes are offered unless one is forced', () => {
  const harness = startPaymentHarness();
  harness.pay();
  expect(harness.payment.order.ways).toEqual(entryModes);
});

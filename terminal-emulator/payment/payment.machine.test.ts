import { expect, test } from 'vitest';
import { entryModes } from '../../shared/nexo/enums.ts';
import { cardFromRead, unreadableCard } from '../readers/reader-card.ts';
import { naturalPacing } from '../terminal/pacing.ts';
import { authorization } from './authorization.ts';
import { approval, paymentBench, refusal } from './payment-bench.fixture.ts';

const tips = (gratuity: object) => ({ gratuity: { custom: false, maximumTotal: 1_000_000, ...gratuity } });

test('a card is asked for, the host approves, the result goes out before the card is out', () => {
  const bench = paymentBench();
  bench.pay();
  expect(bench.state).toBe('presentCard');
  bench.insert('no-pin');
  expect(bench.state).toBe('authorizing');
  bench.answer(approval);
  expect(bench.outcome()).toMatchObject({ result: 'Success', card: { EntryMode: ['ICC'] } });
  expect(bench.state).toBe('removeCard');
  expect(bench.printed).toEqual([]);
  bench.remove();
  expect(bench.printed).toHaveLength(1);
  expect(bench.state).toBe('waiting');
});

test('a tap is approved without anything to remove', () => {
  const bench = paymentBench();
  bench.pay();
  bench.tap('visa-credit');
  bench.answer(approval);
  expect(bench.outcome()).toMatchObject({
    result: 'Success',
    card: { EntryMode: ['Contactless'], PaymentBrand: 'visa', MaskedPan: '411111 **** 1111' },
    pairs: { posEntryMode: 'CLESS_CHIP', cardSummary: '1111', cardScheme: 'visa', fundingSource: 'CREDIT' },
  });
  expect(bench.state).toBe('waiting');
});

test('a tap a reader cannot make out is asked for again, by any way in, until one comes in', () => {
  const bench = paymentBench();
  const failedTap = { card: unreadableCard('Contactless'), blocked: [], at: bench.clock.now() };
  bench.pay();
  expect(bench.payment.tapFailure).toBeUndefined();
  bench.actor.send({ type: 'tapped', presented: failedTap });
  expect([bench.state, bench.payment.tapFailure, bench.told]).toEqual([
    'presentCard',
    'unreadable',
    ['TENDER_CREATED'],
  ]);
  bench.swipe('stripe-dead');
  expect([bench.state, bench.payment.tapFailure]).toEqual(['presentCard', undefined]);
  bench.actor.send({ type: 'tapped', presented: failedTap });
  bench.tap('visa-credit');
  bench.answer(approval);
  expect(bench.outcome()).toMatchObject({ result: 'Success', card: { EntryMode: ['Contactless'] } });
});

test('several cards tapped at once pay nothing: one only is asked for', () => {
  const bench = paymentBench();
  bench.pay();
  bench.present('tapped', unreadableCard('Contactless'));
  bench.present('tapped', unreadableCard('Contactless', 'several'));
  expect([bench.state, bench.payment.tapFailure]).toEqual(['presentCard', 'several']);
  bench.tap('visa-credit');
  expect(bench.state).toBe('authorizing');
});

test('a stripe card is swiped and its holder signs', () => {
  const bench = paymentBench();
  bench.pay();
  bench.swipe('stripe-only');
  bench.answer(approval);
  expect(bench.outcome()).toMatchObject({
    result: 'Success',
    pairs: { posEntryMode: 'MAGSTRIPE' },
    response: { PaymentResult: { AuthenticationMethod: ['PaperSignature'] } },
  });
});

test('a card number can be corrected while it is typed, and needs twelve digits', () => {
  const bench = paymentBench();
  bench.pay();
  bench.press('4');
  expect(bench.state).toBe('keyedNumber');
  bench.press('2429', 'clear', '242424', 'enter');
  expect(bench.payment).toMatchObject({ typed: '4242242424' });
  expect(bench.state).toBe('keyedNumber');
  bench.press('24', 'enter');
  expect(bench.state).toBe('keyedExpiry');
  bench.press('1', 'enter');
  expect(bench.state).toBe('keyedExpiry');
});

test('typing a test card by number and expiry pays with it', () => {
  const bench = paymentBench();
  bench.pay();
  bench.press('4242424242424242', 'enter', '1249', 'enter');
  bench.answer(approval);
  expect(bench.outcome()).toMatchObject({
    result: 'Success',
    pairs: { posEntryMode: 'MKE' },
    card: { EntryMode: ['Keyed'] },
  });
});

test('a number that is no card number is asked for again', async () => {
  const bench = paymentBench(naturalPacing);
  bench.pay();
  bench.press('4242424242424241', 'enter', '1249', 'enter');
  expect(bench.state).toBe('cardUnreadable');
  await bench.clock.advance(naturalPacing.errorMs);
  expect(bench.state).toBe('presentCard');
});

test('an expired date typed with a number is an invalid card', () => {
  const bench = paymentBench();
  bench.pay();
  bench.press('4242424242424242', 'enter', '1225', 'enter');
  expect(bench.outcome()).toMatchObject({ condition: 'InvalidCard' });
});

test('typed secrets are gone once they were used', () => {
  const bench = paymentBench();
  bench.pay();
  bench.press('4242424242424242', 'enter', '1249', 'enter');
  expect(bench.payment).toMatchObject({ number: '', typed: '' });
  bench.answer(approval);
  bench.pay();
  bench.insert('offline-pin');
  bench.press('1234', 'enter');
  expect(bench.payment.typed).toBe('');
});

test.each([
  ['1', 150],
  ['2', 180],
  ['3', 200],
  ['enter', 0],
])('on the tip screen key %s adds %i cents', (key, cents) => {
  const bench = paymentBench();
  bench.pay(tips({ percentages: [15, 18, 20], custom: true }));
  expect(bench.state).toBe('tip');
  bench.press(key);
  bench.tap('visa-credit');
  bench.answer(approval);
  expect(bench.outcome()?.pairs).toMatchObject({
    posAuthAmountValue: String(1000 + cents),
    posOriginalAmountValue: '1000',
    posAmountGratuityValue: String(cents),
  });
  expect(bench.outcome()?.response.PaymentResult?.AmountsResp?.TipAmount).toBe(
    cents ? cents / 100 : undefined,
  );
});

test('a fixed tip is added as it is', () => {
  const bench = paymentBench();
  bench.pay(tips({ fixed: [100, 250] }));
  bench.press('2');
  expect(bench.payment.tipMinor).toBe(250);
});

test('keys beside no choice do nothing on the tip screen', () => {
  const bench = paymentBench();
  bench.pay(tips({ fixed: [100, 250] }));
  bench.press('3', '4', '9', 'clear');
  expect(bench.state).toBe('tip');
});

test('a custom tip above the limit is refused on the screen and asked again', () => {
  const bench = paymentBench();
  bench.pay(tips({ custom: true, maximumTotal: 1500 }));
  bench.press('1');
  expect(bench.state).toBe('customTip');
  bench.press('501', 'enter');
  expect(bench.state).toBe('customTip');
  expect(bench.payment).toMatchObject({ tipTooMuch: true, typed: '' });
  bench.press('5');
  expect(bench.payment.tipTooMuch).toBe(false);
  bench.press('00', 'enter');
  expect(bench.state).toBe('presentCard');
  expect(bench.payment.tipMinor).toBe(500);
});

test('a custom tip never makes a total above the largest amount, whatever the limit', () => {
  const bench = paymentBench();
  bench.pay({ ...tips({ custom: true, maximumTotal: 10 ** 12 }), requestedMinor: 9_999_999_000 });
  bench.press('1', '1000', 'enter');
  expect(bench.payment).toMatchObject({ tipTooMuch: true, typed: '' });
  bench.press('999', 'enter');
  expect(bench.payment.tipMinor).toBe(999);
});

test('only the ways in that are asked for are taken', () => {
  const bench = paymentBench();
  bench.pay({ ways: ['Contactless'] });
  bench.insert('visa-credit');
  expect(bench.state).toBe('presentCard');
  bench.remove();
  bench.swipe('stripe-only');
  bench.press('4');
  expect(bench.state).toBe('presentCard');
  bench.tap('visa-credit');
  expect(bench.state).toBe('authorizing');
});

test('a card put in during the tip prompt is read when its turn comes', () => {
  const bench = paymentBench();
  bench.pay(tips({ fixed: [100] }));
  bench.insert('no-pin');
  expect(bench.state).toBe('tip');
  bench.press('1');
  expect(bench.state).toBe('authorizing');
});

test('a card of a brand that is not allowed is refused as paymentRestriction', () => {
  const bench = paymentBench();
  bench.pay({ brands: ['amex', 'jcb'] });
  bench.insert('visa-credit');
  expect(bench.outcome()).toMatchObject({ condition: 'PaymentRestriction', card: { PaymentBrand: 'visa' } });
  expect(bench.asked).toEqual([]);
});

test('a chip card that is swiped is told to go into the slot', () => {
  const bench = paymentBench();
  bench.pay();
  bench.swipe('visa-credit');
  expect(bench.state).toBe('insertInstead');
  bench.insert('visa-credit');
  expect(bench.state).toBe('pin');
});

test('a chip card may be swiped where only the stripe is offered', () => {
  const bench = paymentBench();
  bench.pay({ ways: ['MagStripe'] });
  bench.swipe('visa-credit');
  expect(bench.state).toBe('authorizing');
});

test('a chip that cannot be read three times falls back to the stripe', () => {
  const bench = paymentBench();
  bench.pay();
  for (const expected of ['chipUnreadable', 'chipUnreadable', 'swipeInstead']) {
    bench.insert('chip-dead');
    expect(bench.state).toBe(expected);
    bench.remove();
  }
  bench.insert('chip-dead');
  expect(bench.state).toBe('swipeInstead');
  bench.remove();
  bench.swipe('chip-dead');
  bench.answer(approval);
  expect(bench.outcome()).toMatchObject({ result: 'Success', card: { EntryMode: ['MagStripe'] } });
});

test('a dirty chip is read at the second try', () => {
  const bench = paymentBench();
  bench.pay();
  bench.insert('chip-dirty');
  expect(bench.state).toBe('chipUnreadable');
  bench.remove();
  bench.insert('chip-dirty');
  expect(bench.state).toBe('pin');
});

test('an unreadable chip with no other way in is an invalid card, and no card was read', () => {
  const bench = paymentBench();
  bench.pay({ ways: ['ICC'] });
  for (let i = 0; i < 3; i++) {
    bench.insert('chip-dead');
    bench.remove();
  }
  expect(bench.outcome()).toMatchObject({ condition: 'InvalidCard', card: undefined });
});

test('an unreadable stripe is asked for again', () => {
  const bench = paymentBench();
  bench.pay();
  bench.swipe('stripe-dead');
  expect(bench.state).toBe('presentCard');
  expect(bench.concluded).toEqual([]);
});

test('a tap above its limit has to be inserted', () => {
  const bench = paymentBench();
  bench.pay({ requestedMinor: 1001 });
  bench.tap('tap-then-insert');
  expect(bench.state).toBe('insertInstead');
  bench.insert('tap-then-insert');
  expect(bench.state).toBe('pin');
});

test('a tap at its limit passes; the tip counts', () => {
  const bench = paymentBench();
  bench.pay({ requestedMinor: 1000 });
  bench.tap('tap-then-insert');
  expect(bench.state).toBe('authorizing');
  bench.answer(approval);
  bench.pay({ requestedMinor: 1000, ...tips({ fixed: [1] }) });
  bench.press('1');
  bench.tap('tap-then-insert');
  expect(bench.state).toBe('insertInstead');
});

test('a tap above its limit asks for the PIN where the card says so', () => {
  const bench = paymentBench();
  bench.pay({ requestedMinor: 1001 });
  bench.tap('tap-then-pin');
  expect(bench.state).toBe('pin');
  bench.press('1234', 'enter');
  expect(bench.asked.at(-1)).toMatchObject({ onlinePin: 'Correct', verification: 'OnlinePIN' });
});

test('a tap above its limit that may not be inserted is a payment restriction', () => {
  const bench = paymentBench();
  bench.pay({ requestedMinor: 1001, ways: ['Contactless'] });
  bench.tap('tap-then-insert');
  expect(bench.outcome()).toMatchObject({ condition: 'PaymentRestriction' });
});

test('a co-badged card asks which application pays', () => {
  const bench = paymentBench();
  bench.pay();
  bench.insert('credit-debit');
  expect(bench.state).toBe('applicationChoice');
  bench.press('3', '2');
  expect(bench.state).toBe('pin');
  bench.press('1234', 'enter');
  bench.answer(approval);
  expect(bench.outcome()).toMatchObject({
    card: { PaymentBrand: 'maestro' },
    pairs: { fundingSource: 'DEBIT' },
  });
});

/** A chip with two applications that pay from two accounts, as a reader reads it. */
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
  return cardFromRead({ ...first, entry, applications, selectedAid: first.aid }, [], [entry])!;
};

test.each([
  ['1', { PaymentBrand: 'visa', MaskedPan: '476173 **** 0010' }],
  ['2', { PaymentBrand: 'maestro', MaskedPan: '679999 **** 0018' }],
])('the application chosen with key %s is the account that is charged', (key, charged) => {
  const bench = paymentBench();
  bench.pay();
  bench.present('inserted', twoAccounts());
  expect(bench.state).toBe('applicationChoice');
  bench.press(key);
  expect(authorization(bench.asked[0]!, 'a1').Card).toMatchObject({
    Brand: charged.PaymentBrand,
    MaskedPan: charged.MaskedPan,
  });
  bench.answer(approval);
  expect(bench.outcome()).toMatchObject({ result: 'Success', card: charged });
});

test.each(['debitPreferred', 'brands'] as const)(
  'an application that the request chooses (%s) is the account that is charged, tapped as inserted',
  (by) => {
    for (const [event, entry] of [
      ['inserted', 'ICC'],
      ['tapped', 'Contactless'],
    ] as const) {
      const bench = paymentBench();
      bench.pay(by === 'brands' ? { brands: ['maestro'] } : { debitPreferred: true });
      bench.present(event, twoAccounts({ entry }));
      bench.answer(approval);
      expect(bench.outcome()).toMatchObject({
        result: 'Success',
        card: { PaymentBrand: 'maestro', MaskedPan: '679999 **** 0018', EntryMode: [entry] },
      });
    }
  },
);

test('an expired or blocked account of a card leaves its other account to be chosen', () => {
  const expired = paymentBench();
  expired.pay();
  expired.present('inserted', twoAccounts({ first: { expiry: '0120' } }));
  expired.press('2');
  expect(expired.state).toBe('authorizing');
  const chosen = paymentBench();
  chosen.pay();
  chosen.present('inserted', twoAccounts({ first: { expiry: '0120' } }));
  chosen.press('1');
  expect(chosen.outcome()).toMatchObject({
    condition: 'InvalidCard',
    card: { MaskedPan: '476173 **** 0010' },
  });
  const blocked = paymentBench();
  blocked.cards.block('reader-fedcba9876543210');
  blocked.pay();
  blocked.present('inserted', twoAccounts());
  expect(blocked.state).toBe('applicationChoice');
  blocked.press('2');
  expect(blocked.outcome()).toMatchObject({ result: 'Failure', card: { MaskedPan: '679999 **** 0018' } });
});

test('debitPreferredFlag chooses the debit application without asking', () => {
  const bench = paymentBench();
  bench.pay({ debitPreferred: true });
  bench.insert('credit-debit');
  expect(bench.state).toBe('pin');
  expect(bench.payment.used?.application.brand).toBe('maestro');
});

test('allowedPaymentBrand leaves only the allowed application of a co-badged card', () => {
  const bench = paymentBench();
  bench.pay({ brands: ['maestro', 'visa'] });
  bench.insert('credit-debit');
  expect(bench.state).toBe('pin');
  expect(bench.payment.used?.application.brand).toBe('maestro');
});

test('a co-badged card that is tapped pays with its first application', () => {
  const bench = paymentBench();
  bench.pay();
  bench.tap('credit-debit');
  expect(bench.state).toBe('authorizing');
  expect(bench.payment.used?.application.brand).toBe('mc');
});

test('an expired card is invalid', () => {
  const bench = paymentBench();
  bench.pay();
  bench.insert('expired');
  expect(bench.outcome()).toMatchObject({
    condition: 'InvalidCard',
    card: { MaskedPan: '400000 **** 0069' },
    pairs: { refusalReason: '228 Card expired' },
  });
});

test('a card is good to the end of its month', () => {
  const bench = paymentBench();
  bench.pay();
  bench.tap('visa-credit', { expiry: '0126' });
  expect(bench.state).toBe('authorizing');
  bench.answer(approval);
  bench.pay();
  bench.tap('visa-credit', { expiry: '1225' });
  expect(bench.outcome()).toMatchObject({ condition: 'InvalidCard' });
});

test('an offline PIN is checked here and the host is asked once it is right', () => {
  const bench = paymentBench();
  bench.pay();
  bench.insert('offline-pin');
  bench.press('123', 'enter');
  expect(bench.state).toBe('pin'); // four digits at least
  bench.press('5', 'clear', '4', 'enter');
  expect(bench.asked.at(-1)).toMatchObject({ onlinePin: undefined, verification: 'OfflinePIN' });
});

test.each(['offline-pin', 'online-pin'])('%s: wrong, then right, is approved', (card) => {
  const bench = paymentBench();
  bench.pay();
  bench.insert(card);
  bench.press('9999', 'enter');
  if (card === 'online-pin') bench.answer(refusal('WrongPIN'));
  expect(bench.state).toBe('pin');
  expect(bench.payment).toMatchObject({ triesLeft: 2, typed: '' });
  bench.press('1234', 'enter');
  bench.answer(approval);
  expect(bench.outcome()).toMatchObject({ result: 'Success' });
});

test.each(['offline-pin', 'online-pin'])(
  '%s: the third wrong PIN ends the payment and blocks the card',
  (card) => {
    const bench = paymentBench();
    bench.pay();
    bench.insert(card);
    for (let i = 0; i < 3; i++) {
      bench.press('9999', 'enter');
      if (card === 'online-pin') bench.answer(refusal('WrongPIN'));
    }
    expect(bench.outcome()).toMatchObject({ condition: 'WrongPIN' });
    expect(bench.cards.isBlocked(card)).toBe(true);
    bench.remove();
    bench.pay();
    bench.insert(card);
    expect(bench.outcome()).toMatchObject({
      condition: 'Refusal',
      pairs: { refusalReason: '199 Card blocked' },
    });
  },
);

test.each(['offline-pin', 'online-pin'])('%s: every PIN is wrong where the request says so', (card) => {
  const bench = paymentBench();
  bench.pay({ pinAlwaysWrong: true });
  bench.insert(card);
  bench.press('1234', 'enter');
  if (card === 'online-pin') expect(bench.asked.at(-1)?.onlinePin).toBe('Wrong');
  else expect(bench.payment.triesLeft).toBe(2);
});

test('a host that declines is told with its reasons', () => {
  const bench = paymentBench();
  bench.pay();
  bench.insert('no-pin');
  bench.answer(refusal());
  expect(bench.outcome()).toMatchObject({
    result: 'Failure',
    condition: 'Refusal',
    pairs: {
      refusalReason: '210 Not enough balance',
      message: 'NOT_ENOUGH_BALANCE',
      acquirerResponseCode: 'NOT_ENOUGH_BALANCE',
      pspReference: 'PSP1',
    },
  });
  expect(bench.outcome()?.response.PaymentResult?.AmountsResp).toBeUndefined();
  expect(bench.payment.reversal).toBeUndefined();
});

test('a silent host is unreachable after 30 s, with a reversal; its late answer changes nothing', async () => {
  const bench = paymentBench(naturalPacing);
  bench.pay();
  bench.tap('visa-credit');
  await bench.clock.advance(naturalPacing.readTapMs + 29_999);
  expect(bench.state).toBe('authorizing');
  await bench.clock.advance(1);
  expect(bench.concluded.at(-1)).toMatchObject({ reversal: 'Timeout' });
  expect(bench.outcome()).toMatchObject({ condition: 'UnreachableHost' });
  bench.answer(approval);
  expect(bench.state).toBe('declined');
  expect(bench.concluded).toHaveLength(1);
});

test('a card pulled while the host is asked cancels, with a reversal', () => {
  const bench = paymentBench();
  bench.pay();
  bench.insert('no-pin');
  bench.remove();
  expect(bench.concluded.at(-1)).toMatchObject({ reversal: 'CardRemoved' });
  expect(bench.outcome()).toMatchObject({ condition: 'Cancel', pairs: { refusalReason: 'card removed' } });
});

test.each([
  ['readingCard', (bench: Bench) => bench.insert('offline-pin')],
  ['pin', (bench: Bench) => [bench.insert('offline-pin'), bench.clock.advance(naturalPacing.readChipMs)]],
  [
    'applicationChoice',
    (bench: Bench) => [bench.insert('credit-debit'), bench.clock.advance(naturalPacing.readChipMs)],
  ],
])('a card pulled in %s cancels, and there is nothing to reverse', async (state, reach) => {
  const bench = paymentBench(naturalPacing);
  bench.pay();
  await Promise.all([reach(bench)].flat());
  expect(bench.state).toBe(state);
  bench.remove();
  expect(bench.outcome()).toMatchObject({ condition: 'Cancel' });
  expect(bench.concluded.at(-1)?.reversal).toBeUndefined();
});

type Bench = ReturnType<typeof paymentBench>;
/** How to come to stand at each prompt, the timeout there, and the reason when it passes. */
const prompts: [state: string, reach: (bench: Bench) => void, timeoutMs: number, reason: string][] = [
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

test.each(prompts)('the red key cancels in %s', (state, reach) => {
  const bench = paymentBench();
  reach(bench);
  expect(bench.state).toBe(state);
  bench.press('cancel');
  const refusalReason = state === 'pin' ? '102 Shopper cancelled pin entry' : '108 Shopper cancelled tx';
  expect(bench.outcome()).toMatchObject({ condition: 'Cancel', pairs: { refusalReason } });
});

test.each(prompts)('the merchant aborts in %s', (state, reach) => {
  const bench = paymentBench();
  reach(bench);
  expect(bench.state).toBe(state);
  bench.abort();
  expect(bench.outcome()).toMatchObject({
    condition: 'Aborted',
    pairs: { refusalReason: '104 Merchant cancelled tx' },
  });
});

test.each(prompts)('waiting too long in %s cancels', async (state, reach, timeoutMs, refusalReason) => {
  const bench = paymentBench();
  reach(bench);
  await bench.clock.advance(timeoutMs - 1);
  expect(bench.state).toBe(state);
  await bench.clock.advance(1);
  expect(bench.outcome()).toMatchObject({ condition: 'Cancel', pairs: { refusalReason } });
});

test('typing does not give a prompt more time; each PIN try has its own', async () => {
  const bench = paymentBench();
  bench.pay();
  bench.insert('offline-pin');
  await bench.clock.advance(59_000);
  bench.press('9999', 'enter');
  await bench.clock.advance(59_000);
  bench.press('9');
  expect(bench.state).toBe('pin');
  await bench.clock.advance(1_000);
  expect(bench.outcome()).toMatchObject({ condition: 'Cancel' });
});

test('from authorizing on, neither an abort nor the red key changes anything', () => {
  const bench = paymentBench(naturalPacing);
  bench.pay({ ways: ['Contactless'] });
  bench.tap('visa-credit');
  bench.actor.send({ type: 'abort' });
  expect(bench.outcome()).toMatchObject({ condition: 'Aborted' });
  const later = paymentBench();
  later.pay();
  later.insert('no-pin');
  later.abort();
  later.press('cancel');
  expect(later.state).toBe('authorizing');
  later.answer(approval);
  later.abort();
  later.press('cancel');
  expect(later.outcome()).toMatchObject({ result: 'Success' });
  expect(later.concluded).toHaveLength(1);
});

test('without a card read there is no paymentResult; after reading there is one, also on failure', () => {
  const bench = paymentBench();
  bench.pay();
  bench.press('cancel');
  expect(bench.outcome()?.response.PaymentResult).toBeUndefined();
  bench.pay();
  bench.insert('offline-pin');
  bench.press('cancel');
  expect(bench.outcome()?.response.PaymentResult).toMatchObject({ OnlineFlag: false });
});

test('a new payment is not begun while a card is in the slot', () => {
  const bench = paymentBench();
  bench.pay();
  bench.insert('no-pin');
  bench.answer(approval);
  bench.pay();
  expect(bench.state).toBe('removeCard');
});

test('a new payment cuts the result short; its receipts are printed all the same', async () => {
  const bench = paymentBench(naturalPacing);
  bench.pay();
  bench.tap('visa-credit');
  await bench.clock.advance(naturalPacing.readTapMs);
  bench.answer(approval);
  expect(bench.state).toBe('approved');
  bench.pay({ sale: { ...bench.payment.order.sale, serviceId: 'S2' } });
  expect(bench.printed.map(({ order }) => order.sale.serviceId)).toEqual(['S1']);
  expect(bench.state).toBe('presentCard');
  expect(bench.payment).toMatchObject({ used: undefined, answer: undefined, cardRead: false });
});

test('a new payment is taken while the terminal prints', async () => {
  const bench = paymentBench(naturalPacing);
  bench.pay();
  bench.tap('visa-credit');
  await bench.clock.advance(naturalPacing.readTapMs);
  bench.answer(approval);
  await bench.clock.advance(naturalPacing.resultMs);
  expect(bench.state).toBe('printing');
  bench.pay();
  expect(bench.state).toBe('presentCard');
});

test('with natural pacing each step takes its time', async () => {
  const bench = paymentBench(naturalPacing);
  bench.pay();
  bench.insert('offline-pin');
  await bench.clock.advance(naturalPacing.readChipMs - 1);
  expect(bench.state).toBe('readingCard');
  await bench.clock.advance(1);
  bench.press('9999', 'enter');
  expect(bench.state).toBe('pinWrong');
  await bench.clock.advance(naturalPacing.errorMs);
  bench.press('1234', 'enter');
  bench.answer(approval);
  expect(bench.state).toBe('approved');
  await bench.clock.advance(naturalPacing.resultMs);
  expect(bench.state).toBe('removeCard');
  await bench.clock.advance(3_600_000);
  expect(bench.state).toBe('removeCard');
  bench.remove();
  expect(bench.state).toBe('printing');
  await bench.clock.advance(naturalPacing.printMs);
  expect(bench.state).toBe('waiting');
});

test('with instant pacing no timer fires between what people and the host do', () => {
  const bench = paymentBench();
  bench.pay();
  bench.tap('visa-credit');
  bench.answer(approval);
  expect(bench.state).toBe('waiting');
  expect(bench.clock.nextDue()).toBeUndefined();
});

test('a power cut forgets everything but the card in the slot, and says nothing', () => {
  const bench = paymentBench();
  bench.pay();
  bench.insert('offline-pin');
  bench.press('12');
  bench.actor.send({ type: 'power.lost' });
  expect(bench.state).toBe('waiting');
  expect(bench.payment).toMatchObject({ typed: '', used: undefined, slot: { card: { id: 'offline-pin' } } });
  expect(bench.concluded).toEqual([]);
});

test('progress is told step by step', () => {
  const bench = paymentBench();
  bench.pay(tips({ fixed: [100] }));
  bench.press('1');
  bench.insert('credit-debit');
  bench.press('1', '1234', 'enter');
  bench.answer(approval);
  bench.remove();
  expect(bench.told).toEqual([
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

test('all ways in are offered where none is forced', () => {
  const bench = paymentBench();
  bench.pay();
  expect(bench.payment.order.ways).toEqual(entryModes);
});

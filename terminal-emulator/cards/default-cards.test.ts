import { expect, test } from 'vitest';
import type { TestCardDefinition } from '../../shared/emulator/cards.ts';
import { luhnHolds } from '../../shared/masking/luhn.ts';
import { paymentBrands } from '../../shared/nexo/enums.ts';
import { findBrandByIin } from './brands.ts';
import { defaultCards } from './default-cards.ts';

const brandsOf = (card: TestCardDefinition) => card.applications.map(({ brand }) => brand);

test.each(defaultCards.map((card) => [card.id, card] as const))(
  '%s is a card that could exist',
  (id, card) => {
    expect(luhnHolds(card.number)).toBe(true);
    expect(card.expiry, 'only one card is expired').toBe(id === 'expired' ? '0120' : '1249');
    // Interac has no number range of its own. A card without Interac has a number in the range of one of the card's
    // brands.
    if (!brandsOf(card).includes('interac_card'))
      expect(brandsOf(card)).toContain(findBrandByIin(card.number));
  },
);

test('ids and numbers are all different', () => {
  expect(new Set(defaultCards.map(({ id }) => id)).size).toBe(defaultCards.length);
  expect(new Set(defaultCards.map(({ number }) => number)).size).toBe(defaultCards.length);
});

test.each(paymentBrands)('there is an approving card that belongs only to %s', (brand) => {
  const cards = defaultCards.filter((card) => !card.host && brandsOf(card).join() === brand);
  expect(cards.length).toBeGreaterThan(0);
});

test('the first card supports everything that a card can do', () => {
  const [first] = defaultCards;
  expect(first).toMatchObject({ pin: '1234', chip: { verification: 'offlinePin' }, keyed: true });
  expect(first?.contactless).toBeDefined();
  expect(first?.stripe).toBeDefined();
});

const behaviours: [what: string, is: (card: TestCardDefinition) => boolean][] = [
  ['an offline PIN', ({ chip }) => chip?.verification === 'offlinePin'],
  ['an online PIN', ({ chip }) => chip?.verification === 'onlinePin'],
  ['a PIN of six digits', ({ pin }) => pin?.length === 6],
  ['a signature at the chip', ({ chip }) => chip?.verification === 'signature'],
  ['no verification', ({ chip }) => chip?.verification === 'none'],
  ['an online PIN at the stripe', ({ stripe }) => stripe?.verification === 'onlinePin'],
  ['a tap that wants the chip above its limit', ({ contactless }) => contactless?.aboveLimit === 'insert'],
  ['a tap that wants the PIN above its limit', ({ contactless }) => contactless?.aboveLimit === 'pin'],
  ['a tap without limit', ({ contactless }) => contactless?.aboveLimit === 'allow'],
  [
    'nothing but a tap',
    ({ chip, stripe, keyed, contactless }) => !!contactless && !chip && !stripe && !keyed,
  ],
  ['a credit and a debit application', ({ applications: [a, b] }) => a?.debit === false && b?.debit === true],
  ['Interac beside Visa', (card) => brandsOf(card).join() === 'interac_card,visa'],
  ['two applications of one kind', ({ applications: [a, b] }) => !!b && a?.debit === b.debit],
  ['a dead chip and a good stripe', ({ chip, stripe }) => chip?.readable === 'no' && !!stripe?.readable],
  ['a chip that is read at the second try', ({ chip }) => chip?.readable === 'secondTry'],
  ['a stripe only', ({ chip, contactless, stripe }) => !chip && !contactless && !!stripe?.readable],
  ['a dead stripe', ({ stripe }) => stripe?.readable === false],
  ['nothing readable', ({ chip, stripe, keyed }) => chip?.readable === 'no' && !stripe?.readable && !keyed],
  [
    'nothing but its number',
    ({ chip, contactless, stripe, keyed }) => keyed && !chip && !contactless && !stripe,
  ],
  ['an expiry in the past', ({ expiry }) => expiry === '0120'],
  ['prepaid funding', ({ funding }) => funding === 'prepaid'],
  ['an invalid-card answer', ({ host }) => host?.errorCondition === 'InvalidCard'],
];

test.each(behaviours)('there is a card with %s', (_, is) => {
  expect(defaultCards.filter(is).map(({ id }) => id)).not.toEqual([]);
});

test.each([
  'DECLINED',
  'NOT_ENOUGH_BALANCE',
  'BLOCK_CARD',
  'RESTRICTED_CARD',
  'CARD_EXPIRED',
  'PIN_TRIES_EXCEEDED',
  'WITHDRAWAL_AMOUNT_EXCEEDED',
  'WITHDRAWAL_COUNT_EXCEEDED',
  'ISSUER UNAVAILABLE',
  'TRANSACTION_NOT_PERMITTED',
  'ACQUIRER_FRAUD',
])('there is a card declined with %s', (message) => {
  expect(
    defaultCards.some(({ host }) => host?.errorCondition === 'Refusal' && host.message === message),
  ).toBe(true);
});

import type { TestCardDefinition } from '../shared/emulator/cards.ts';
import { describeRefusalReason } from '../shared/refusal-words.ts';

/**
 * Describes a card of the tray in full sentences, for docs/cards.md. The screen has less room, so it shows the short
 * notes of the cards instead.
 */
export function describeCard(card: TestCardDefinition): string {
  return [
    ...chipSentences(card),
    ...tapSentences(card),
    ...stripeSentences(card),
    !card.chip && !card.contactless && !card.stripe && 'The number of this card can only be typed in.',
    hostSentence(card),
    remarks[card.id] ?? issuerSentence(card),
  ]
    .filter(Boolean)
    .join(' ');
}

function chipSentences({ chip }: TestCardDefinition): string[] {
  if (!chip) return [];
  if (chip.readable === 'no') return ['The chip of this card can never be read.'];
  const asks = `If the card is inserted, the terminal asks for ${verificationWords[chip.verification]}.`;
  return chip.readable === 'secondTry'
    ? ['The chip of this card can be read only at the second try.', asks]
    : [asks];
}

function tapSentences({ contactless }: TestCardDefinition): string[] {
  if (!contactless) return [];
  if (contactless.aboveLimit === 'allow') return ['The card can be tapped for any amount.'];
  const asked = contactless.aboveLimit === 'pin' ? 'the PIN' : 'the chip';
  return [
    `The card can be tapped for amounts up to ${contactless.limit}. Above this amount the terminal asks for ${asked}.`,
  ];
}

function stripeSentences({ stripe }: TestCardDefinition): string[] {
  if (!stripe) return [];
  return stripe.readable
    ? [`If the card is swiped, the terminal asks for ${verificationWords[stripe.verification]}.`]
    : ['The stripe of this card can never be read.'];
}

const verificationWords = {
  offlinePin: 'the PIN, and the chip checks the PIN',
  onlinePin: 'the PIN, and the issuer checks the PIN',
  signature: 'a signature',
  none: 'no PIN and no signature',
} as const;

function hostSentence({ id, host }: TestCardDefinition): string {
  if (neverReachTheIssuer.includes(id)) return '';
  if (!host) return 'The issuer approves payments with this card.';
  const reason = `"${describeRefusalReason(host.refusalReason, host.message)}"`;
  return host.errorCondition === 'Refusal'
    ? `The issuer declines payments with this card. The reason is ${reason}.`
    : `A payment with this card fails with ${host.errorCondition}. The reason is ${reason}.`;
}

/** The cards with which no payment ever reaches the issuer. */
const neverReachTheIssuer: readonly string[] = ['all-dead', 'expired'];

/** Returns a sentence with the issuer's response code if the card's note names the code. */
function issuerSentence({ note = '' }: TestCardDefinition): string {
  const [, code] = /[Ii]ssuer answers (\d+)/.exec(note) ?? [];
  return code === undefined ? '' : `The response code of the issuer is ${code}.`;
}

/** Further sentences about cards, by the id of the card. */
const remarks: Readonly<Record<string, string>> = {
  'visa-credit': 'This card fits most tests, because it can be presented in every way.',
  unionpay: 'The PIN of this card has six digits.',
  'offline-pin': 'This card has only a chip.',
  'online-pin': 'This card has only a chip.',
  signature: "The cashier's copy of the receipt asks for the signature.",
  phone: 'This card is a wallet on a phone, so it can only be tapped.',
  'tap-only': 'This card is a ring or a wristband, so it can only be tapped.',
  'credit-debit':
    'This card has a credit and a debit application. The terminal asks which application to use, unless the request has debitPreferredFlag.',
  'interac-visa': 'This card has two brands. A request can choose one of them with allowedPaymentBrand.',
  'unionpay-visa':
    'This card has two credit applications, so the terminal always asks which application to use.',
  'chip-dead': 'After three tries to read the chip, the terminal asks for the stripe.',
  'stripe-only': 'This card is an old card without a chip.',
  'stripe-dead': 'The number of this card can only be typed in.',
  'all-dead': 'The number of this card cannot be typed in. So no payment with this card is possible.',
  expired: 'This card expired in 01/20, so the terminal refuses the card and does not ask the issuer.',
  'expired-at-issuer':
    'The expiry date that is printed on the card is valid, but the issuer answers that the card has expired (response code 54).',
};

import type { TestCardDefinition } from '../../shared/emulator/cards.ts';
import { asRecord } from '../../shared/journal-fields.ts';
import { defaultCards, unreadableCardId } from '../../terminal-emulator/index.ts';

/** A test card that takes the place of the card that was presented. */
export interface StandInCard {
  readonly card: TestCardDefinition;
  /** A remark that names the card that was presented. Absent if that card is the test card itself. */
  readonly remark?: string;
}

/**
 * Whether a test card can be presented in place of another card. The key is the way in which the other card was
 * presented.
 */
const canReplace: Record<string, (card: TestCardDefinition) => boolean> = {
  inserted: ({ chip }) => chip?.readable === 'yes',
  tapped: ({ contactless }) => contactless !== undefined,
  swiped: ({ stripe, chip }) => stripe?.readable === true && !chip,
  keyed: ({ keyed }) => keyed,
};

/**
 * The test cards that replace a card that the reader could not read. These test cards are unreadable too, because the
 * scenario would make a payment with a readable card.
 */
const unreadableTestCards: Record<string, string> = { inserted: 'chip-dead', swiped: 'stripe-dead' };

/**
 * Returns the test card with this id. If the card is no test card (it was read by a real reader, or is in the user's
 * own configuration), returns a test card of the same brand. So a scenario contains no data of a real card.
 */
export function findStandInCard(id: string, action: string, answer: unknown): StandInCard {
  const testCardId = (id === unreadableCardId && unreadableTestCards[action]) || id;
  const testCard = defaultCards.find((card) => card.id === testCardId);
  return testCard ? { card: testCard } : standIn(action, answer);
}

/**
 * Returns the test card whose number was typed. The journal does not have the digits, but the answer has the masked
 * number.
 */
export function findStandInCardByMaskedPan(answer: unknown): StandInCard {
  const masked = String(cardData(answer).MaskedPan ?? '');
  const [first, last] = [masked.slice(0, 6), masked.slice(-4)];
  const testCard = defaultCards.find(
    ({ number, keyed }) => keyed && masked !== '' && number.startsWith(first) && number.endsWith(last),
  );
  return testCard ? { card: testCard } : standIn('keyed', answer);
}

function standIn(action: string, answer: unknown): StandInCard {
  const brand = String(cardData(answer).PaymentBrand ?? 'visa').toLowerCase();
  const able = defaultCards.filter((card) => canReplace[action]?.(card) && card.host === undefined);
  const sameBrand = able.find(({ applications }) => applications[0]?.brand === brand);
  const card = sameBrand ?? able[0] ?? defaultCards[0];
  if (!card) throw new Error('there are no test cards');
  return { card, remark: 'another card was presented; this test card replaces it' };
}

function cardData(answer: unknown): Record<string, unknown> {
  const result = asRecord(asRecord(answer).PaymentResult);
  return asRecord(asRecord(result.PaymentInstrumentData).CardData);
}

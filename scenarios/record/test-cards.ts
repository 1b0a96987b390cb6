import type { Card } from '../../shared/emulator/cards.ts';
import { asRecord } from '../../shared/journal-fields.ts';
import { defaultCards, unreadableCardId } from '../../terminal-emulator/index.ts';

/** A test card that takes the place of the card that was presented. */
export interface StandInCard {
  readonly card: Card;
  /** Present if the card that was presented is another one. */
  readonly remark?: string;
}

/** Whether a test card can take the place of a card, by the way in which that card was presented. */
const canReplace: Record<string, (card: Card) => boolean> = {
  inserted: ({ chip }) => chip?.readable === 'yes',
  tapped: ({ contactless }) => contactless !== undefined,
  swiped: ({ stripe, chip }) => stripe?.readable === true && !chip,
  keyed: ({ keyed }) => keyed,
};

/**
 * The test cards for a card that a reader could not read: the reader cannot read these test cards in that way either.
 * With any other test card, the scenario would make a payment.
 */
const unreadableTestCards: Record<string, string> = { inserted: 'chip-dead', swiped: 'stripe-dead' };

/**
 * Returns the test card with that id. For any other card (of a real reader, or of a user's own configuration) returns a
 * test card of the same brand, so that no data of the real card gets into a scenario.
 */
export function testCardFor(id: string, action: string, answer: unknown): StandInCard {
  const testCardId = (id === unreadableCardId && unreadableTestCards[action]) || id;
  const testCard = defaultCards.find((card) => card.id === testCardId);
  return testCard ? { card: testCard } : standIn(action, answer);
}

/**
 * Returns the test card whose number was typed. The journal does not have the digits, but the answer has the masked
 * number.
 */
export function typedTestCard(answer: unknown): StandInCard {
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

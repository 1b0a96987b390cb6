import type { CardSummary } from './cards.ts';

/**
 * Gives a card's text for searches, in lower case. The text has the card's names, brand, masked number and behaviour.
 * The words chip, tap and stripe are left out, because nearly every card can be used in all three ways.
 */
export function searchTextOf(card: CardSummary): string {
  const does = card.behaviour.replaceAll(/(^|; )(chip|tap|stripe): /g, '$1');
  return [card.id, card.label, card.brand, does, card.note, card.maskedPan].join(' ').toLowerCase();
}

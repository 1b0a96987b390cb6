import type { CardSummary } from './cards.ts';

/**
 * The text that a search for a card looks in, in lower case: names, brand, the end of the number, what the card does.
 * It leaves out insert, tap and swipe, because nearly every card can do all three.
 */
export function searchTextOf(card: CardSummary): string {
  const does = card.behaviour.replaceAll(/(^|; )(chip|tap|stripe): /g, '$1');
  return [card.id, card.label, card.brand, does, card.note, card.maskedPan].join(' ').toLowerCase();
}

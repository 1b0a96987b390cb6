import type { CardSummary } from './cards.ts';

/**
 * Gives the text in which a search looks for a card, in lower case: names, brand, the end of the number, and what the
 * card does. The words insert, tap and swipe are left out, because nearly every card can do all three.
 */
export function searchTextOf(card: CardSummary): string {
  const does = card.behaviour.replaceAll(/(^|; )(chip|tap|stripe): /g, '$1');
  return [card.id, card.label, card.brand, does, card.note, card.maskedPan].join(' ').toLowerCase();
}

import type { CardSummary } from './cards.ts';

/**
 * What a search for a card looks in, in lower case: names, brand, the end of the number, what it does. That a card can be
 * inserted, tapped or swiped at all says nothing: nearly every card can.
 */
export function searchTextOf(card: CardSummary): string {
  const does = card.behaviour.replaceAll(/(^|; )(chip|tap|stripe): /g, '$1');
  return [card.id, card.label, card.brand, does, card.note, card.maskedPan].join(' ').toLowerCase();
}

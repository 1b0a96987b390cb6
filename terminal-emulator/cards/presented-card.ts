import type { Card } from '../../shared/emulator/cards.ts';
import { maskPan } from '../../shared/masking/mask-pan.ts';
import { onceForEach } from '../../shared/recent.ts';
import type { CardCatalogue } from './catalogue.ts';

/** Why a tap failed: the card could not be read, or there were several. */
export type TapFailure = 'unreadable' | 'several';

/** An application of a card. On a real card, each application pays from its own account. */
export type PresentableApplication = Card['applications'][number] & {
  /** The card if this application pays; absent if all of its applications share one account. */
  readonly card?: PresentableCard;
};

/** A card without its number. Only the masked number gets into the terminal (B126). */
export type PresentableCard = Omit<Card, 'number' | 'applications'> & {
  readonly applications: readonly PresentableApplication[];
  readonly maskedPan: string;
  /** Two digits that distinguish cards of one number; known if a real reader read the card. */
  readonly sequenceNumber?: string;
  /** Set if something was held to a real reader that is no usable card: the reason. */
  readonly tapFailure?: TapFailure;
};

/** A card that is presented to a terminal, with what is known only at that moment. */
export interface PresentedCard {
  readonly card: PresentableCard;
  /** Those of its ids that are blocked: the card's own, and those of its applications. */
  readonly blocked: readonly string[];
  /** Milliseconds since 1970. This moment decides whether the card has expired. */
  readonly at: number;
}

/** A card in the form that a terminal gets, with its number masked. */
const presentable = onceForEach((card: Card | PresentableCard): PresentableCard => {
  if ('maskedPan' in card) return card;
  const { number, ...rest } = card;
  return { ...rest, maskedPan: maskPan(number) };
});

/** Makes the card that is presented to a terminal at a moment. */
export function presentedCard(
  card: Card | PresentableCard,
  cards: Pick<CardCatalogue, 'isBlocked'>,
  at: number,
): PresentedCard {
  const shown = presentable(card);
  const ids = [shown.id, ...shown.applications.flatMap((application) => application.card?.id ?? [])];
  return { card: shown, blocked: ids.filter((id) => cards.isBlocked(id)), at };
}

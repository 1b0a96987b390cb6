import type { Card } from '../../shared/emulator/cards.ts';
import { maskPan } from '../../shared/masking/mask-pan.ts';
import { onceForEach } from '../../shared/recent.ts';
import type { CardCatalogue } from './catalogue.ts';

/** What was tapped could not be read, or was more than one card. */
export type TapFailure = 'unreadable' | 'several';

/** An application of a card; those of a real card each pay from an account of their own. */
export type PresentableApplication = Card['applications'][number] & {
  /** The card as it is where this application pays; absent where all its applications share one account. */
  readonly card?: PresentableCard;
};

/** A card without its number, of which nothing but the mask gets into the terminal (B126). */
export type PresentableCard = Omit<Card, 'number' | 'applications'> & {
  readonly applications: readonly PresentableApplication[];
  readonly maskedPan: string;
  /** Distinguishes cards of one number, two digits; known of cards a real reader read. */
  readonly sequenceNumber?: string;
  /** What was held to a real reader is no card to pay with, and why. */
  readonly tapFailure?: TapFailure;
};

/** A card as it comes before the terminal, with what is known only when it is presented. */
export interface PresentedCard {
  readonly card: PresentableCard;
  /** Under which of its ids it is blocked: that of the card, those of its applications. */
  readonly blocked: readonly string[];
  /** Epoch milliseconds; decides whether the card has expired. */
  readonly at: number;
}

/** A card as a terminal knows it: its number masked from the reader on. */
const presentable = onceForEach((card: Card | PresentableCard): PresentableCard => {
  if ('maskedPan' in card) return card;
  const { number, ...rest } = card;
  return { ...rest, maskedPan: maskPan(number) };
});

/** A card as it comes before the terminal at that moment. */
export function presentedCard(
  card: Card | PresentableCard,
  cards: Pick<CardCatalogue, 'isBlocked'>,
  at: number,
): PresentedCard {
  const shown = presentable(card);
  const ids = [shown.id, ...shown.applications.flatMap((application) => application.card?.id ?? [])];
  return { card: shown, blocked: ids.filter((id) => cards.isBlocked(id)), at };
}

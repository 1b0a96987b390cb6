import type { TestCardDefinition } from '../../shared/emulator/cards.ts';
import { maskPan } from '../../shared/masking/mask-pan.ts';
import { memoizeByObject } from '../../shared/memoize-recent.ts';
import type { CardCatalogue } from './catalogue.ts';

/** Why a tap failed: the card could not be read, or several cards were held to the reader. */
export type TapFailure = 'unreadable' | 'several';

/** An application of a card. If a real reader read the card, each application has an account of its own. */
export type PresentableApplication = TestCardDefinition['applications'][number] & {
  /** The card with the account of this application; absent if all of the card's applications share one account. */
  readonly card?: MaskedCard;
};

/** A card without its full number. Only the masked number gets into the terminal (B126). */
export type MaskedCard = Omit<TestCardDefinition, 'number' | 'applications'> & {
  readonly applications: readonly PresentableApplication[];
  readonly maskedPan: string;
  /** Two digits that distinguish cards with the same number. They are known only if a real reader read the card. */
  readonly sequenceNumber?: string;
  /** Why a tap failed. The field is set only for a tap that failed at a real reader. */
  readonly tapFailure?: TapFailure;
};

/** A card that is presented to a terminal, with the facts that become known only when it is presented. */
export interface PresentedCard {
  readonly card: MaskedCard;
  /**
   * The blocked ids of this card. The card itself has an id. If the card's applications have accounts of their own,
   * each account has an id, too.
   */
  readonly blocked: readonly string[];
  /** When the card was presented, in ms since 1970. This time decides whether the card has expired. */
  readonly at: number;
}

/** A card in the form that a terminal gets, with its number masked. */
const presentable = memoizeByObject((card: TestCardDefinition | MaskedCard): MaskedCard => {
  if ('maskedPan' in card) return card;
  const { number, ...rest } = card;
  return { ...rest, maskedPan: maskPan(number) };
});

/** Makes the card that is presented to a terminal at the time `at`. */
export function toPresentedCard(
  card: TestCardDefinition | MaskedCard,
  cards: Pick<CardCatalogue, 'isBlocked'>,
  at: number,
): PresentedCard {
  const shown = presentable(card);
  const ids = [shown.id, ...shown.applications.flatMap((application) => application.card?.id ?? [])];
  return { card: shown, blocked: ids.filter((id) => cards.isBlocked(id)), at };
}

import type { EntryMode } from '../../shared/nexo/enums.ts';
import type { PresentableApplication, PresentedCard } from '../cards/presented-card.ts';
import type { TerminalOrder } from './payment-order.ts';

/** A card together with how it came in and, once chosen, the application that pays. */
export interface UsedCard extends PresentedCard {
  readonly entryMode: EntryMode;
  readonly application: PresentableApplication;
  /** The applications the request allows, in the card's own order. */
  readonly applications: readonly PresentableApplication[];
}

/** A card as it comes in, its application not yet chosen. */
export function takeCard(presented: PresentedCard, entryMode: EntryMode, order: TerminalOrder): UsedCard {
  const { card } = presented;
  const allowed = card.applications.filter(({ brand }) => order.brands?.includes(brand) ?? true);
  const first = allowed[0] ?? card.applications[0]!;
  const debit = order.debitPreferred ? allowed.find((application) => application.debit) : undefined;
  const applications = debit ? [debit] : entryMode === 'ICC' ? allowed : allowed.slice(0, 1);
  return payingWith(debit ?? first, { ...presented, entryMode, applications });
}

/** The application that pays decides which account does. */
function payingWith(application: PresentableApplication, used: Omit<UsedCard, 'application'>): UsedCard {
  return { ...used, application, card: application.card ?? used.card };
}

/** The shopper chose: only this application counts from now on. */
export function chooseApplication(application: PresentableApplication, used: UsedCard): UsedCard {
  return payingWith(application, { ...used, applications: [application] });
}

/** The chip's application pays, in the slot or held to the reader. */
export function usesChip({ entryMode }: UsedCard): boolean {
  return entryMode === 'ICC' || entryMode === 'Contactless';
}

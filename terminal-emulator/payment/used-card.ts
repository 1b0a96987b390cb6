import type { EntryMode } from '../../shared/nexo/enums.ts';
import type { PresentableApplication, PresentedCard } from '../cards/presented-card.ts';
import type { TerminalOrder } from './payment-order.ts';

/** A presented card, the way in which it was presented and, once it has been chosen, the application that pays. */
export interface UsedCard extends PresentedCard {
  readonly entryMode: EntryMode;
  readonly application: PresentableApplication;
  /** The applications that the request allows, in the card's own order. */
  readonly applications: readonly PresentableApplication[];
}

/** Gives a presented card in the form in which the payment uses it. The shopper has not chosen its application yet. */
export function toUsedCard(presented: PresentedCard, entryMode: EntryMode, order: TerminalOrder): UsedCard {
  const { card } = presented;
  const allowed = card.applications.filter(({ brand }) => order.brands?.includes(brand) ?? true);
  const first = allowed[0] ?? card.applications[0]!;
  const debit = order.debitPreferred ? allowed.find((application) => application.debit) : undefined;
  const applications = debit ? [debit] : entryMode === 'ICC' ? allowed : allowed.slice(0, 1);
  return payingWith(debit ?? first, { ...presented, entryMode, applications });
}

/** Sets the application that pays. The application also decides which account pays. */
function payingWith(application: PresentableApplication, used: Omit<UsedCard, 'application'>): UsedCard {
  return { ...used, application, card: application.card ?? used.card };
}

/** Gives the card after the shopper has chosen an application. The payment uses only this application from now on. */
export function withChosenApplication(application: PresentableApplication, used: UsedCard): UsedCard {
  return payingWith(application, { ...used, applications: [application] });
}

/** Whether the card pays by its chip, in the slot or by a tap. */
export function usesChip({ entryMode }: UsedCard): boolean {
  return entryMode === 'ICC' || entryMode === 'Contactless';
}

import type { Language, ScreenState } from '../../shared/emulator/screen.ts';
import type { JournalKinds } from '../../shared/journal.ts';
import type { EntryMode } from '../../shared/nexo/enums.ts';
import { endingOf } from '../payment/ending.ts';
import { type PaymentContext, pinTriesPerPayment } from '../payment/payment-context.ts';
import { locales } from '../screens/locales.ts';
import { renderText } from '../screens/render-screen.ts';
import type { ScreenView } from '../screens/screen-view.ts';
import { tipChoices } from '../screens/tip-choices.ts';

/** For states of the payment's state machine that have no screen of their own: the screen that is shown instead. */
const shownAs: Record<string, ScreenState> = { identifying: 'readingCard', begun: 'presentCard' };

export function paymentScreen(state: string): ScreenState {
  return shownAs[state] ?? (state as ScreenState);
}

/** Returns the ways in which a card can be presented in this state of the payment. */
export function entriesIn(state: ScreenState, { order }: PaymentContext): EntryMode[] {
  if (state === 'presentCard') return [...order.ways];
  if (state === 'insertInstead' || state === 'chipUnreadable') return ['ICC'];
  return state === 'swipeInstead' ? ['MagStripe'] : [];
}

/** Returns the part of the screen that shows a payment. */
function viewPayment(state: ScreenState, payment: PaymentContext): Partial<ScreenView> {
  const { order, used, tipMinor, answer, reason } = payment;
  const ending = reason && endingOf(reason);
  const failed = reason !== undefined || answer?.Approved === false;
  return {
    language: order.language,
    amountMinor: order.requestedMinor,
    tipMinor,
    currency: order.currency,
    ...(order.sale.givesBack ? { givesBack: order.sale.givesBack } : {}),
    entries: entriesIn(state, payment),
    typed: payment.typed,
    tapFailure: payment.tapFailure,
    entry: used?.entryMode,
    ...(state === 'tip' && order.gratuity
      ? { tipChoices: tipChoices(order.gratuity, order.requestedMinor, order.currency, order.language) }
      : {}),
    ...(state === 'applicationChoice'
      ? { applications: used?.applications.map(({ label }) => label) ?? [] }
      : {}),
    ...(payment.triesLeft < pinTriesPerPayment ? { triesLeft: payment.triesLeft } : {}),
    ...(payment.tipTooMuch ? { reasonText: 'TIP_TOO_HIGH' } : {}),
    ...(failed
      ? {
          reason: ending?.condition ?? answer?.ErrorCondition ?? 'Refusal',
          reasonText: reasonText(
            ending ?? { message: answer?.Message, refusalReason: answer?.RefusalReason },
          ),
        }
      : {}),
  };
}

function reasonText(parts: { message?: string; refusalReason?: string }): string {
  return [parts.message, parts.refusalReason].filter(Boolean).join(' ');
}

/** Describes a payment's screen for the journal, without what was typed. */
export function describeScreen(view: ScreenView): JournalKinds['terminal.screen'] {
  const { state, title, amount, givesBack, lines, choices } = renderText(view);
  return {
    state,
    title,
    ...(amount === undefined ? {} : { amount }),
    ...(givesBack ? { givesBack } : {}),
    ...(lines.length > 0 ? { lines } : {}),
    ...(choices.length > 0 ? { choices: choices.map(({ key, label }) => `${key} ${label}`) } : {}),
  };
}

/** Describes a screen between payments for the journal. Only its title is noted. */
export function idleScreen(state: ScreenState, language: Language): JournalKinds['terminal.screen'] {
  return { state, title: locales[language].states[state].title };
}

/** The state of a terminal now, without its settings. */
interface Condition {
  readonly state: ScreenState;
  readonly power: boolean;
  readonly network: boolean;
  readonly keyRefused: boolean;
  readonly payment: PaymentContext | undefined;
  /** The card in the slot. */
  readonly card: { readonly id: string; readonly label: string } | undefined;
}

/** Makes all the data that is needed to draw a terminal's screen. */
export function viewTerminal(
  { poiId, storeName, language = 'en' }: { poiId: string; storeName?: string; language?: Language },
  { state, power, network, keyRefused, payment, card }: Condition,
): ScreenView {
  return {
    language,
    entries: [],
    ...(payment ? viewPayment(state, payment) : keyRefused && { reasonText: 'KEY_REFUSED' }),
    state,
    power,
    network,
    poiId,
    storeName,
    ...(card && { card: { id: card.id, label: card.label } }),
  };
}

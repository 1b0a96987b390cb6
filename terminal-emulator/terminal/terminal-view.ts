import type { Language, ScreenState } from '../../shared/emulator/screen.ts';
import type { JournalDataByKind } from '../../shared/journal.ts';
import type { EntryMode } from '../../shared/nexo/enums.ts';
import { endingForReason } from '../payment/ending.ts';
import { type PaymentContext, pinTriesPerPayment } from '../payment/payment-context.ts';
import { locales } from '../screens/locales.ts';
import { renderScreenTextFields } from '../screens/render-screen.ts';
import type { ScreenFacts, ScreenFailure, ShownPayment } from '../screens/screen-facts.ts';
import { makeTipChoices } from '../screens/tip-choices.ts';

/** The screens for those states of the payment's state machine that have no screen of their own. */
const shownAs: Record<string, ScreenState> = { identifying: 'readingCard', begun: 'presentCard' };

/** Returns the screen of a state of the payment's state machine. */
export function toPaymentScreenState(state: string): ScreenState {
  return shownAs[state] ?? (state as ScreenState);
}

/** Returns the ways in which a card can be presented in this state of the payment. */
export function findOfferedEntryModes(state: ScreenState, { order }: PaymentContext): EntryMode[] {
  if (state === 'presentCard') return [...order.ways];
  if (state === 'insertInstead' || state === 'chipUnreadable') return ['ICC'];
  return state === 'swipeInstead' ? ['MagStripe'] : [];
}

function shownPayment(state: ScreenState, payment: PaymentContext): ShownPayment {
  const { order, used, tipMinor, tapFailure, triesLeft } = payment;
  const { requestedMinor: amountMinor, currency, language, gratuity } = order;
  return {
    amountMinor,
    currency,
    tipMinor,
    ...(order.sale.givesBack ? { givesBack: order.sale.givesBack } : {}),
    entries: findOfferedEntryModes(state, payment),
    tapFailure,
    usedEntry: used?.entryMode,
    ...(state === 'tip' && gratuity
      ? { tipChoices: makeTipChoices(gratuity, amountMinor, currency, language) }
      : {}),
    ...(state === 'applicationChoice'
      ? { applications: used?.applications.map(({ label }) => label) ?? [] }
      : {}),
    ...(triesLeft < pinTriesPerPayment ? { triesLeft } : {}),
  };
}

function typedOn(state: ScreenState, { typed }: PaymentContext): Pick<ScreenFacts, 'typed' | 'pinLength'> {
  if (state === 'pin') return { pinLength: typed.length };
  return ['customTip', 'keyedNumber', 'keyedExpiry'].includes(state) ? { typed } : {};
}

/**
 * Returns the reason why the payment fails. The terminal's own reason comes first, then the host's answer, then a tip
 * that is too high.
 */
function failureOf({ reason, answer, tipTooMuch }: PaymentContext): ScreenFailure | undefined {
  if (reason !== undefined || answer?.Approved === false) {
    const ending = reason && endingForReason(reason);
    const { message, refusalReason } = ending ?? {
      message: answer?.Message,
      refusalReason: answer?.RefusalReason,
    };
    return {
      condition: ending?.condition ?? answer?.ErrorCondition ?? 'Refusal',
      detail: [message, refusalReason].filter(Boolean).join(' '),
    };
  }
  return tipTooMuch ? { detail: 'TIP_TOO_HIGH' } : undefined;
}

/** Describes a payment's screen for the journal. Leaves out what the user typed. */
export function screenForJournal(input: ScreenFacts): JournalDataByKind['terminal.screen'] {
  const { state, title, amount, givesBack, lines, choices } = renderScreenTextFields(input);
  return {
    state,
    title,
    ...(amount === undefined ? {} : { amount }),
    ...(givesBack ? { givesBack } : {}),
    ...(lines.length > 0 ? { lines } : {}),
    ...(choices.length > 0 ? { choices: choices.map(({ key, label }) => `${key} ${label}`) } : {}),
  };
}

/** Describes a screen for the journal while there is no payment. Only the title of the screen is noted. */
export function idleScreenForJournal(
  state: ScreenState,
  language: Language,
): JournalDataByKind['terminal.screen'] {
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
export function makeTerminalScreenFacts(
  {
    poiId,
    storeName,
    language: merchantLanguage = 'en',
  }: { poiId: string; storeName?: string; language?: Language },
  { state, power, network, keyRefused, payment, card }: Condition,
): ScreenFacts {
  return {
    state,
    language: payment?.order.language ?? merchantLanguage,
    power,
    network,
    poiId,
    storeName,
    ...(card && { card: { id: card.id, label: card.label } }),
    ...(payment
      ? {
          payment: shownPayment(state, payment),
          ...typedOn(state, payment),
          failure: failureOf(payment),
        }
      : keyRefused && { failure: { detail: 'KEY_REFUSED' } }),
  };
}

import type { Screen, ScreenChoice, ScreenState, TerminalKey } from '../../shared/emulator/screen.ts';
import { memoizeRecent } from '../../shared/memoize-recent.ts';
import { formatMoney } from '../../shared/money.ts';
import { makePrintable } from '../../shared/printable.ts';
import { maskTypedInput } from './displayed-input.ts';
import type { Locale } from './locales/locale.ts';
import { locales } from './locales.ts';
import type { ScreenFacts, ShownPayment } from './screen-facts.ts';
import { makeUnwrappedScreenLines } from './screen-lines.ts';
import { cutToColumns, wrapToColumns } from './text-fit.ts';
import { usableKeysOf } from './usable-keys.ts';

/**
 * The widths, in columns, of a terminal's screen. The title has large letters, so its lines have fewer columns than the
 * lines below it.
 */
export const titleColumns = 24;
export const lineColumns = 32;

/**
 * Draws the screen that the shopper sees, in the shopper's language. Without power the screen is dark, whatever the
 * state is.
 */
export function renderScreen(input: ScreenFacts): Screen {
  const text = renderScreenTextFields(input);
  const { state } = text;
  const { language, card, payment } = input;
  const lit: ScreenFacts = { ...input, state };
  return {
    ...text,
    language,
    input: maskTypedInput(lit, locales[language]),
    keys: usableKeysOf(lit),
    entries: payment && state !== 'off' ? [...payment.entries] : [],
    tone: tones[state],
    lamps: lampsOf(lit),
    card: card && { ...card, label: makePrintable(card.label) },
  };
}

/** Gives only the text on the screen. The journal uses this function, because it records only the text of a screen. */
export function renderScreenTextFields(
  input: ScreenFacts,
): Pick<Screen, 'state' | 'title' | 'lines' | 'amount' | 'givesBack' | 'choices'> {
  const locale = locales[input.language];
  const state: ScreenState = input.power ? input.state : 'off';
  const lit: ScreenFacts = { ...input, state };
  const dark = state === 'off';
  const givesBack = input.payment?.givesBack;
  return {
    state,
    title: cutToColumns(titleOf(lit, locale), titleColumns),
    lines: dark ? [] : makeUnwrappedScreenLines(lit, locale).flatMap(wrapped),
    amount: dark ? undefined : amountText(lit),
    ...(dark || !givesBack ? {} : { givesBack }),
    choices: choicesOf(lit),
  };
}

/** Wraps a text into lines. The results are cached, because most lines were already on an earlier screen. */
const wrapped = memoizeRecent((line) => wrapToColumns(makePrintable(line), lineColumns));

function titleOf({ state, payment }: ScreenFacts, locale: Locale): string {
  const titles: Partial<Record<ScreenState, string>> = payment?.givesBack ? locale.givingBack.titles : {};
  if (state !== 'presentCard' || !payment?.tapFailure) return titles[state] ?? locale.states[state].title;
  return payment.tapFailure === 'several' ? locale.presentOne : locale.presentAgain;
}

function amountText({ payment, language }: ScreenFacts): string | undefined {
  if (!payment) return undefined;
  const { amountMinor, tipMinor = 0, currency } = payment;
  return formatMoney(amountMinor + tipMinor, currency, language);
}

function choicesOf({ state, payment }: ScreenFacts): ScreenChoice[] {
  const { tipChoices = [], applications = [] } = payment ?? {};
  if (state === 'tip') return tipChoices.map(({ key, label, row, column }) => ({ key, label, row, column }));
  if (state !== 'applicationChoice') return [];
  return applications.map((label, row) => ({
    key: String(row + 1) as TerminalKey,
    label: makePrintable(label),
    row,
    column: 0,
  }));
}

function lampsOf({ state, power, network, payment, card }: ScreenFacts): Screen['lamps'] {
  if (state === 'off') return { power: false, network: false, contactless: 0, chip: false };
  return {
    power,
    network,
    contactless: payment ? contactlessLamps(state, payment) : 0,
    chip: card !== undefined || payment?.entries.includes('ICC') === true,
  };
}

/**
 * The four lamps of the contactless field. One is lit while the terminal is ready for a tap, and three while it reads.
 * All four are lit after the card was read and may be taken away.
 */
function contactlessLamps(state: ScreenState, { entries, usedEntry }: ShownPayment): number {
  if (entries.includes('Contactless')) return 1;
  if (usedEntry !== 'Contactless') return 0;
  if (state === 'readingCard') return 3;
  return state === 'authorizing' || state === 'approved' ? 4 : 0;
}

const tones: Record<ScreenState, Screen['tone']> = {
  off: 'neutral',
  starting: 'neutral',
  idle: 'neutral',
  offline: 'error',
  displaced: 'error',
  tip: 'prompt',
  customTip: 'prompt',
  presentCard: 'prompt',
  readingCard: 'neutral',
  keyedNumber: 'prompt',
  keyedExpiry: 'prompt',
  insertInstead: 'prompt',
  chipUnreadable: 'error',
  swipeInstead: 'prompt',
  cardUnreadable: 'error',
  cardNotAccepted: 'error',
  applicationChoice: 'prompt',
  pin: 'prompt',
  pinWrong: 'error',
  authorizing: 'neutral',
  approved: 'success',
  declined: 'error',
  cancelled: 'error',
  removeCard: 'prompt',
  printing: 'neutral',
};

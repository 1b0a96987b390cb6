import type { Choice, Key, Screen, ScreenState } from '../../shared/emulator/screen.ts';
import { formatMoney } from '../../shared/money.ts';
import { printable } from '../../shared/printable.ts';
import { recent } from '../../shared/recent.ts';
import type { Locale } from './locales/locale.ts';
import { locales } from './locales.ts';
import { screenKeys } from './screen-keys.ts';
import { screenLines } from './screen-lines.ts';
import type { ScreenView } from './screen-view.ts';
import { cutTo, wrapTo } from './text-fit.ts';
import { typedText } from './typed-text.ts';

/**
 * The widths, in columns, of a terminal's screen: few for the large letters of the title, more for the small letters
 * below it.
 */
export const titleColumns = 24;
export const lineColumns = 32;

/**
 * Draws the screen that the shopper sees, in the shopper's language, from the state of the terminal's machines. Without
 * power the screen is dark, whatever the state is.
 */
export function renderScreen(view: ScreenView): Screen {
  const locale = locales[view.language];
  const text = renderText(view);
  const { state } = text;
  const lit: ScreenView = { ...view, state };
  const dark = state === 'off';
  return {
    ...text,
    language: view.language,
    input: typedText(lit, locale),
    keys: screenKeys(lit),
    entries: dark ? [] : [...view.entries],
    tone: tones[state],
    lamps: lampsOf(lit),
    card: view.card && { ...view.card, label: printable(view.card.label) },
  };
}

/** Gives only the text on the screen. The journal shows nothing else of it. */
export function renderText(
  view: ScreenView,
): Pick<Screen, 'state' | 'title' | 'lines' | 'amount' | 'givesBack' | 'choices'> {
  const locale = locales[view.language];
  const state: ScreenState = view.power ? view.state : 'off';
  const lit: ScreenView = { ...view, state };
  const dark = state === 'off';
  return {
    state,
    title: cutTo(titleOf(lit, locale), titleColumns),
    lines: dark ? [] : screenLines(lit, locale).flatMap(wrapped),
    amount: dark ? undefined : amountText(lit),
    ...(dark || !view.givesBack ? {} : { givesBack: view.givesBack }),
    choices: choicesOf(lit),
  };
}

/** Wraps a text into lines. The results are cached, because most lines were on an earlier screen, too. */
const wrapped = recent((line) => wrapTo(printable(line), lineColumns));

function titleOf({ state, tapFailure, givesBack }: ScreenView, locale: Locale): string {
  const titles: Partial<Record<ScreenState, string>> = givesBack ? locale.givingBack.titles : {};
  if (state !== 'presentCard' || !tapFailure) return titles[state] ?? locale.states[state].title;
  return tapFailure === 'several' ? locale.presentOne : locale.presentAgain;
}

function amountText({ amountMinor, tipMinor = 0, currency, language }: ScreenView): string | undefined {
  if (amountMinor === undefined || !currency) return undefined;
  return formatMoney(amountMinor + tipMinor, currency, language);
}

function choicesOf({ state, tipChoices = [], applications = [] }: ScreenView): Choice[] {
  if (state === 'tip') return tipChoices.map(({ key, label, row, column }) => ({ key, label, row, column }));
  if (state !== 'applicationChoice') return [];
  return applications.map((label, row) => ({
    key: String(row + 1) as Key,
    label: printable(label),
    row,
    column: 0,
  }));
}

function lampsOf({ state, power, network, entries, entry, card }: ScreenView): Screen['lamps'] {
  if (state === 'off') return { power: false, network: false, contactless: 0, chip: false };
  return {
    power,
    network,
    contactless: contactlessLamps(state, entries, entry),
    chip: card !== undefined || entries.includes('ICC'),
  };
}

/**
 * The four lamps of the contactless field. One is lit while the terminal is ready for a tap, and three while it reads.
 * All four are lit after the card was read and may be taken away.
 */
function contactlessLamps(
  state: ScreenState,
  entries: ScreenView['entries'],
  entry: ScreenView['entry'],
): number {
  if (entries.includes('Contactless')) return 1;
  if (entry !== 'Contactless') return 0;
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

import type { Language, ScreenState } from '../../shared/emulator/screen.ts';
import { memoize } from '../../shared/memoize.ts';
import { formatMoney } from '../../shared/money.ts';
import { failureText } from './failure-text.ts';
import type { Locale } from './locales/locale.ts';
import type { ScreenFacts } from './screen-facts.ts';

/** The lines below the title, in reading order, before they are wrapped. */
export function makeUnwrappedScreenLines(input: ScreenFacts, locale: Locale): string[] {
  return [givingBackLine(input, locale), ...stateLines(input, locale), tipLine(input, locale)].filter(
    (line) => line !== undefined,
  );
}

function stateLines(input: ScreenFacts, locale: Locale): (string | undefined)[] {
  const { state, poiId, payment, failure } = input;
  const { lines } = locale.states[state];
  switch (state) {
    case 'idle':
      return [input.storeName, poiId];
    case 'offline': {
      const refused = failureText(locale, failure);
      return [...(refused ? [refused] : lines), poiId];
    }
    case 'displaced':
      return [...lines, poiId];
    case 'presentCard':
      return [
        payment?.tapFailure === 'unreadable' ? locale.states.cardUnreadable.title : undefined,
        waysLine(input, locale),
      ];
    case 'cardNotAccepted':
    case 'declined':
    case 'cancelled':
      return [...lines, failureText(locale, failure)];
    case 'customTip':
      return [failureText(locale, failure), ...lines];
    case 'pin':
    case 'pinWrong':
      return [triesLine(input, locale), ...lines];
    default:
      return [...lines];
  }
}

const listFormat = memoize((language: Language) => new Intl.ListFormat(language, { type: 'disjunction' }));

function triesLine({ payment }: ScreenFacts, locale: Locale): string | undefined {
  const triesLeft = payment?.triesLeft;
  return triesLeft === undefined ? undefined : locale.triesLeft(triesLeft);
}

/** The line with the ways to present a card, the easiest first: "Tap, insert or swipe". */
function waysLine({ payment, language }: ScreenFacts, { ways }: Locale): string | undefined {
  const order = ['Contactless', 'ICC', 'MagStripe', 'Keyed'] as const;
  const words = order.filter((way) => payment?.entries.includes(way)).map((way) => ways[way]);
  if (words.length === 0) return undefined;
  const sentence = listFormat(language).format(words);
  return sentence[0]!.toLocaleUpperCase(language) + sentence.slice(1);
}

/**
 * The screens on which the shopper is about to pay the shown amount, or has paid it. These screens also show the tip.
 */
const tipIncluded: ReadonlySet<ScreenState> = new Set([
  'presentCard',
  'applicationChoice',
  'pin',
  'authorizing',
  'approved',
]);

/** Screens that are shown before the host answers. If money is given back, a text on these screens says so. */
const saysGivingBack: ReadonlySet<ScreenState> = new Set([
  'presentCard',
  'keyedNumber',
  'insertInstead',
  'swipeInstead',
  'applicationChoice',
  'pin',
  'authorizing',
]);

function givingBackLine({ state, payment }: ScreenFacts, locale: Locale): string | undefined {
  return payment?.givesBack && saysGivingBack.has(state) ? locale.givingBack.line : undefined;
}

function tipLine({ state, payment, language }: ScreenFacts, locale: Locale): string | undefined {
  if (!payment?.tipMinor || !tipIncluded.has(state)) return undefined;
  return locale.tipIncluded(formatMoney(payment.tipMinor, payment.currency, language));
}

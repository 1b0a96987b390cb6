import type { Language, ScreenState } from '../../shared/emulator/screen.ts';
import { memoize } from '../../shared/memoize.ts';
import { formatMoney } from '../../shared/money.ts';
import { failureText } from './failure-text.ts';
import type { Locale } from './locales/locale.ts';
import type { ScreenView } from './screen-view.ts';

/** The lines below the title, in reading order, before they are wrapped. */
export function screenLines(view: ScreenView, locale: Locale): string[] {
  return [givingBackLine(view, locale), ...stateLines(view, locale), tipLine(view, locale)].filter(
    (line) => line !== undefined,
  );
}

function stateLines(view: ScreenView, locale: Locale): (string | undefined)[] {
  const { lines } = locale.states[view.state];
  switch (view.state) {
    case 'idle':
      return [view.storeName, view.poiId];
    case 'offline': {
      const refused = failureText(locale, undefined, view.reasonText);
      return [...(refused ? [refused] : lines), view.poiId];
    }
    case 'displaced':
      return [...lines, view.poiId];
    case 'presentCard':
      return [
        view.tapFailure === 'unreadable' ? locale.states.cardUnreadable.title : undefined,
        waysLine(view, locale),
      ];
    case 'cardNotAccepted':
    case 'declined':
    case 'cancelled':
      return [...lines, failureText(locale, view.reason, view.reasonText)];
    case 'customTip':
      return [failureText(locale, undefined, view.reasonText), ...lines];
    case 'pin':
    case 'pinWrong':
      return [triesLine(view, locale), ...lines];
    default:
      return [...lines];
  }
}

const listFormat = memoize((language: Language) => new Intl.ListFormat(language, { type: 'disjunction' }));

function triesLine({ triesLeft }: ScreenView, locale: Locale): string | undefined {
  return triesLeft === undefined ? undefined : locale.triesLeft(triesLeft);
}

/** The line with the ways to present a card, the easiest first: "Tap, insert or swipe". */
function waysLine({ entries, language }: ScreenView, { ways }: Locale): string | undefined {
  const order = ['Contactless', 'ICC', 'MagStripe', 'Keyed'] as const;
  const words = order.filter((way) => entries.includes(way)).map((way) => ways[way]);
  if (words.length === 0) return undefined;
  const sentence = listFormat(language).format(words);
  return sentence[0]!.toLocaleUpperCase(language) + sentence.slice(1);
}

/** The screens on which the shopper is about to pay the shown amount, or has paid it. They also show the tip. */
const tipIncluded: ReadonlySet<ScreenState> = new Set([
  'presentCard',
  'applicationChoice',
  'pin',
  'authorizing',
  'approved',
]);

/** The screens before the host's answer that say that money is given back. */
const saysGivingBack: ReadonlySet<ScreenState> = new Set([
  'presentCard',
  'keyedNumber',
  'insertInstead',
  'swipeInstead',
  'applicationChoice',
  'pin',
  'authorizing',
]);

function givingBackLine({ state, givesBack }: ScreenView, locale: Locale): string | undefined {
  return givesBack && saysGivingBack.has(state) ? locale.givingBack.line : undefined;
}

function tipLine({ state, tipMinor, currency, language }: ScreenView, locale: Locale): string | undefined {
  if (!tipMinor || !currency || !tipIncluded.has(state)) return undefined;
  return locale.tipIncluded(formatMoney(tipMinor, currency, language));
}

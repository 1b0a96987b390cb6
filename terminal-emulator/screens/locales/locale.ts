import type { Language, ScreenState } from '../../../shared/emulator/screen.ts';
import type { EntryMode } from '../../../shared/nexo/enums.ts';

/** The words shown to a shopper for why a payment failed; where nothing fits, the title has to do. */
export const causes = [
  'notEnoughBalance',
  'cardBlocked',
  'cardExpired',
  'pinTriesExceeded',
  'amountExceeded',
  'countExceeded',
  'issuerUnavailable',
  'notPermitted',
  'notRefundable',
  'cardNeeded',
  'invalidAmount',
  'contactIssuer',
  'shopperCancelled',
  'timedOut',
  'noCard',
  'cardRemoved',
  'contactlessLimit',
  'unreadable',
  'notKeyed',
  'tipTooHigh',
  'keyRefused',
] as const;
export type FailureCause = (typeof causes)[number];

/** The words of a receipt in one language; a name and its value share 32 columns. */
export interface ReceiptTexts {
  merchantCopy: string;
  cardholderCopy: string;
  date: string;
  time: string;
  card: string;
  panSequence: string;
  preferredName: string;
  cardType: string;
  paymentMethod: string;
  paymentVariant: string;
  entryMode: string;
  contactlessChip: string;
  magneticStripe: string;
  authCode: string;
  tender: string;
  reference: string;
  type: string;
  amount: string;
  tip: string;
  total: string;
  approved: string;
  refunded: string;
  /** Of a reversal. */
  void: string;
  signature: string;
  retain: string;
  thanks: string;
}

interface StateText {
  /** At most 24 columns. */
  title: string;
  /** Each is wrapped at 32 columns. */
  lines: readonly string[];
}

/** Every text of the screens in one language. */
export interface Locale {
  language: Language;
  states: Record<ScreenState, StateText>;
  /** What to do with a card for each way in, joined by `or` into one line: "Tap, insert or swipe". */
  ways: Record<EntryMode, string>;
  /** Why a payment failed. Where no such cause is known, `condition-texts.ts` has words for its condition. */
  causes: Record<FailureCause, string>;
  /** What a refund and a reversal say in the place of a payment's words. */
  givingBack: {
    /** In one line of 32 columns. */
    line: string;
    /** At most 24 columns each. */
    titles: Record<'authorizing' | 'approved' | 'declined' | 'cancelled', string>;
  };
  /** The title when a tapped card could not be read; at most 24 columns. */
  presentAgain: string;
  /** The title when several cards were tapped at once; at most 24 columns. */
  presentOne: string;
  noTip: string;
  customTip: string;
  tipIncluded: (amount: string) => string;
  triesLeft: (count: number) => string;
  input: { tip: string; number: string; expiry: string; pin: string };
  receipt: ReceiptTexts;
}

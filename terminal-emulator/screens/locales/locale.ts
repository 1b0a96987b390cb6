import type { Language, ScreenState } from '../../../shared/emulator/screen.ts';
import type { EntryMode } from '../../../shared/nexo/enums.ts';

/** The causes of failed payments that have a text for the shopper. For any other cause, the title is enough. */
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

/** The words of a receipt in one language. A name and its value share 32 columns. */
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
  /** The title of a reversal. */
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
  /** The words for presenting a card, for each way in. `or` joins them to one line: "Tap, insert or swipe". */
  ways: Record<EntryMode, string>;
  /** Why a payment failed. If the cause is none of these, `condition-texts.ts` has words for the condition. */
  causes: Record<FailureCause, string>;
  /** The words for refunds and reversals that replace those of a payment. */
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

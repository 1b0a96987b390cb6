import type { Language, ScreenState } from '../../../shared/emulator/screen.ts';
import type { EntryMode } from '../../../shared/nexo/enums.ts';

/** The causes of failed payments that have a text for the shopper. For any other cause the screen's title is enough. */
export const failureCauses = [
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
export type FailureCause = (typeof failureCauses)[number];

/** The words of a receipt in one language. A name and its value together have at most 32 columns. */
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
  /** The title of the screen, at most 24 columns wide. */
  title: string;
  /** The lines below the title. A line can be of any length, because it is wrapped at 32 columns. */
  lines: readonly string[];
}

/** Every text of the screens in one language. */
export interface Locale {
  language: Language;
  states: Record<ScreenState, StateText>;
  /** The words for each way to present a card. `or` joins them into one line: "Tap, insert or swipe". */
  ways: Record<EntryMode, string>;
  /** The texts that say why a payment failed. For all other causes the texts are in `condition-texts.ts`. */
  causes: Record<FailureCause, string>;
  /** The words for refunds and reversals, which replace the words for a payment. */
  givingBack: {
    /** A text of at most 32 columns, because the screen shows this text in one line. */
    line: string;
    /** Titles; each has at most 24 columns. */
    titles: Record<'authorizing' | 'approved' | 'declined' | 'cancelled', string>;
  };
  /** The title that is shown if a tapped card could not be read; at most 24 columns. */
  presentAgain: string;
  /** The title that is shown if several cards were tapped at once; at most 24 columns. */
  presentOne: string;
  noTip: string;
  customTip: string;
  tipIncluded: (amount: string) => string;
  triesLeft: (count: number) => string;
  input: { tip: string; number: string; expiry: string; pin: string };
  receipt: ReceiptTexts;
}

import type { Language } from '../../shared/emulator/screen.ts';
import type { AuthenticationMethod, EntryMode, PaymentBrand } from '../../shared/nexo/enums.ts';

/** The facts that are printed on every receipt. */
export interface CommonReceiptFacts {
  /** At most two lines about the merchant: name and address. */
  headers: readonly string[];
  poiId: string;
  merchantId: string;
  /** The terminal's number at the acquirer, eight digits. */
  ptid: string;
  /** The terminal's own reference of this payment, refund or reversal. */
  tenderReference: string;
  saleReference?: string;
  /** The amount that was paid or given back, in minor units of `currency`. */
  totalMinor: number;
  currency: string;
  /** The time of the payment in ms since 1970. It is printed in UTC. */
  at: number;
  customerLanguage: Language;
  merchantLanguage: Language;
}

/** The facts that are printed on the receipts of an approved payment or refund. */
export interface ReceiptFacts extends CommonReceiptFacts {
  /** Whether the receipts are those of a refund. */
  refund?: boolean;
  application: { label: string; aid: string; brand: PaymentBrand };
  /** The masked card number in nexo's form: `541333 **** 9999`. */
  maskedPan: string;
  /** Two digits from the card's chip. They distinguish cards that have the same number. The default is 01. */
  panSequence?: string;
  entryMode: EntryMode;
  authCode: string;
  requestedMinor: number;
  tipMinor?: number;
  /** How the cardholder was verified; absent if the cardholder was not verified. */
  verification?: AuthenticationMethod;
  funding: 'credit' | 'debit' | 'prepaid';
}

/** The facts that are printed on the receipts of a reversal. */
export interface ReversalFacts extends CommonReceiptFacts {
  /** The card of the payment that is reversed, if it is known. */
  card?: { brand: PaymentBrand; maskedNumber: string; entryMode?: EntryMode };
}

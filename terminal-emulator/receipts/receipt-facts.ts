import type { Language } from '../../shared/emulator/screen.ts';
import type { AuthenticationMethod, EntryMode, PaymentBrand } from '../../shared/nexo/enums.ts';

/** The facts that every receipt states. */
export interface ReceiptFrame {
  /** Up to two lines of the merchant: its name and address. */
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
  /** Milliseconds since 1970; printed in UTC. */
  at: number;
  customerLanguage: Language;
  merchantLanguage: Language;
}

/** Everything that receipts of an approved payment or refund state. */
export interface ReceiptFacts extends ReceiptFrame {
  /** Whether money was given back to the card. */
  refund?: boolean;
  application: { label: string; aid: string; brand: PaymentBrand };
  /** The masked number in nexo's form: `541333 **** 9999`. */
  maskedPan: string;
  /** Distinguishes several cards of one number, as their chips do. The default is 01. */
  panSequence?: string;
  entryMode: EntryMode;
  authCode: string;
  requestedMinor: number;
  tipMinor?: number;
  /** Absent if the cardholder was not verified. */
  verification?: AuthenticationMethod;
  funding: 'credit' | 'debit' | 'prepaid';
}

/** Everything that receipts of a reversal state. */
export interface ReversalFacts extends ReceiptFrame {
  /** The card of the reversed payment, if it is known. */
  card?: { brand: PaymentBrand; maskedNumber: string; entryMode?: EntryMode };
}

import type { Language } from '../../shared/emulator/screen.ts';
import type { AuthenticationMethod, EntryMode, PaymentBrand } from '../../shared/nexo/enums.ts';

/** What every receipt says, whatever was done. */
export interface ReceiptFrame {
  /** Up to two lines of the merchant's own, its name and address. */
  headers: readonly string[];
  poiId: string;
  merchantId: string;
  /** The terminal's number at the acquirer, eight digits. */
  ptid: string;
  /** The terminal's own reference of this payment, refund or reversal. */
  tenderReference: string;
  saleReference?: string;
  /** What was paid or given back, in minor units of `currency`. */
  totalMinor: number;
  currency: string;
  /** Milliseconds since the epoch; printed in UTC. */
  at: number;
  customerLanguage: Language;
  merchantLanguage: Language;
}

/** Everything that receipts of an approved payment or refund say. */
export interface ReceiptFacts extends ReceiptFrame {
  /** Money was given back to the card. */
  refund?: boolean;
  application: { label: string; aid: string; brand: PaymentBrand };
  /** As nexo spells it: `541333 **** 9999`. */
  maskedPan: string;
  /** Which of several cards of one number, as their chips know it; 01 when absent. */
  panSequence?: string;
  entryMode: EntryMode;
  authCode: string;
  requestedMinor: number;
  tipMinor?: number;
  /** Absent: the cardholder was not verified. */
  verification?: AuthenticationMethod;
  funding: 'credit' | 'debit' | 'prepaid';
}

/** Everything that receipts of a reversal say. */
export interface ReversalFacts extends ReceiptFrame {
  /** The card of its payment, where it is known. */
  card?: { brand: PaymentBrand; maskedNumber: string; entryMode?: EntryMode };
}

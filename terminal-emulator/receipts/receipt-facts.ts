import type { Language } from '../../shared/emulator/screen.ts';
import type { AuthenticationMethod, EntryMode, PaymentBrand } from '../../shared/nexo/enums.ts';

/** Everything that receipts of an approved payment say. */
export interface ReceiptFacts {
  /** Up to two lines of the merchant's own, its name and address. */
  headers: readonly string[];
  poiId: string;
  merchantId: string;
  /** The terminal's number at the acquirer, eight digits. */
  ptid: string;
  application: { label: string; aid: string; brand: PaymentBrand };
  /** As nexo spells it: `541333 **** 9999`. */
  maskedPan: string;
  /** Which of several cards of one number, as their chips know it; 01 when absent. */
  panSequence?: string;
  entryMode: EntryMode;
  authCode: string;
  /** The terminal's own reference of this payment. */
  tenderReference: string;
  saleReference?: string;
  /** Amounts are minor units of `currency`; the total is what was authorized. */
  requestedMinor: number;
  tipMinor?: number;
  totalMinor: number;
  currency: string;
  /** Milliseconds since the epoch; printed in UTC. */
  at: number;
  customerLanguage: Language;
  merchantLanguage: Language;
  /** Absent: the cardholder was not verified. */
  verification?: AuthenticationMethod;
  funding: 'credit' | 'debit' | 'prepaid';
}

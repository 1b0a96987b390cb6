import { isoTime } from '../../shared/clock.ts';
import type { Language } from '../../shared/emulator/screen.ts';
import { formatMoney } from '../../shared/money.ts';
import type { OutputText, PaymentReceipt } from '../../shared/nexo/bodies.ts';
import { percent } from '../../shared/nexo/pairs.ts';
import { recent } from '../../shared/recent.ts';
import { printable } from '../screens/printable.ts';
import type { ReceiptFacts } from './receipt-facts.ts';
import { type ReceiptTexts, receiptTexts } from './receipt-texts.ts';

/** One line before it is encoded: a name, its value, both or (a filler) neither. */
interface Line {
  key: string;
  name?: string;
  value?: string;
  bold?: boolean;
}

const filler: Line = { key: 'filler' };

/** Where the shopper signs: as wide as the paper. */
const signatureLine = '_'.repeat(32);

/**
 * The two receipts of an approved payment: for the cashier in the merchant's language, for the customer in theirs.
 * Lines, keys and order are those of real terminals; a fact that a payment has not (a merchant's
 * reference, the chip's data of a stripe) leaves its line out.
 */
export function buildReceipts(facts: ReceiptFacts): PaymentReceipt[] {
  const signed = facts.verification === 'PaperSignature';
  const merchant = receiptTexts[facts.merchantLanguage];
  const customer = receiptTexts[facts.customerLanguage];
  return [
    receipt('CashierReceipt', signed, [
      ...headerLines(facts, { key: 'merchantTitle', name: merchant.merchantCopy, bold: true }),
      ...paymentLines(facts, merchant, facts.merchantLanguage),
      ...(signed ? signatureLines(merchant) : []),
    ]),
    receipt('CustomerReceipt', false, [
      ...headerLines(facts, { key: 'cardholderHeader', name: customer.cardholderCopy, bold: true }),
      ...paymentLines(facts, customer, facts.customerLanguage),
      filler,
      { key: 'retain', name: customer.retain },
      { key: 'thanks', name: customer.thanks },
    ]),
  ];
}

function receipt(
  qualifier: PaymentReceipt['DocumentQualifier'],
  signed: boolean,
  lines: Line[],
): PaymentReceipt {
  return {
    DocumentQualifier: qualifier,
    RequiredSignatureFlag: signed,
    OutputContent: { OutputFormat: 'Text', OutputText: lines.map(outputText) },
  };
}

/** Most of a receipt's texts were on the one before. */
const encoded = recent((text) => percent(printable(text)));

/** There are sixty of these in a payment, so the pairs are written without a list. */
function outputText({ key, name, value, bold }: Line): OutputText {
  const named = name === undefined ? '' : `name=${encoded(name)}&`;
  const valued = value === undefined ? '' : `value=${encoded(value)}&`;
  const Text = `${named}${valued}key=${key}`;
  return bold ? { Text, CharacterStyle: 'Bold', EndOfLineFlag: true } : { Text, EndOfLineFlag: true };
}

function headerLines({ headers }: ReceiptFacts, title: Line): Line[] {
  const [first, second] = headers;
  return [
    { key: 'header1', name: first, bold: true },
    { key: 'header2', name: second, bold: true },
    title,
    filler,
  ];
}

function paymentLines(facts: ReceiptFacts, texts: ReceiptTexts, language: Language): Line[] {
  return [
    ...timeLines(facts, texts),
    filler,
    ...cardLines(facts, texts),
    filler,
    ...identityLines(facts),
    filler,
    { key: 'authCode', name: texts.authCode, value: facts.authCode },
    { key: 'txRef', name: texts.tender, value: facts.tenderReference },
    ...optional('mref', texts.reference, facts.saleReference),
    filler,
    { key: 'txtype', name: texts.type, value: 'GOODS_SERVICES' },
    ...amountLines(facts, texts, language),
    filler,
    { key: 'approved', name: texts.approved, bold: true },
  ];
}

function timeLines({ at }: ReceiptFacts, texts: ReceiptTexts): Line[] {
  const iso = isoTime(at);
  const [year, month, day] = iso.slice(0, 10).split('-');
  return [
    { key: 'txdate', name: texts.date, value: `${day}/${month}/${year}` },
    { key: 'txtime', name: texts.time, value: iso.slice(11, 19) },
  ];
}

function cardLines(facts: ReceiptFacts, texts: ReceiptTexts): Line[] {
  const { brand, label } = facts.application;
  return [
    { key: 'pan', name: texts.card, value: `****${facts.maskedPan.slice(-4)}` },
    ...optional('panSeq', texts.panSequence, chipRead(facts) ? (facts.panSequence ?? '01') : undefined),
    { key: 'preferredName', name: texts.preferredName, value: label },
    { key: 'cardType', name: texts.cardType, value: brand },
    { key: 'paymentMethod', name: texts.paymentMethod, value: brand },
    { key: 'paymentMethodVariant', name: texts.paymentVariant, value: variantOf(facts) },
    { key: 'posEntryMode', name: texts.entryMode, value: entryModeText(facts, texts) },
  ];
}

function identityLines(facts: ReceiptFacts): Line[] {
  return [
    ...optional('aid', 'AID', chipRead(facts) ? facts.application.aid : undefined),
    { key: 'mid', name: 'MID', value: facts.merchantId },
    { key: 'tid', name: 'TID', value: facts.poiId },
    { key: 'ptid', name: 'PTID', value: facts.ptid },
  ];
}

/** Where there is a tip, the requested amount and the tip stand above the total. */
function amountLines(facts: ReceiptFacts, texts: ReceiptTexts, language: Language): Line[] {
  const money = (minor: number) => receiptMoney(minor, facts.currency, language);
  const { tipMinor = 0 } = facts;
  return [
    ...(tipMinor > 0
      ? [
          { key: 'originalAmount', name: texts.amount, value: money(facts.requestedMinor) },
          { key: 'gratuityAmount', name: texts.tip, value: money(tipMinor) },
        ]
      : []),
    { key: 'totalAmount', name: texts.total, value: money(facts.totalMinor), bold: true },
  ];
}

function signatureLines(texts: ReceiptTexts): Line[] {
  return [filler, { key: 'signature', name: texts.signature }, { key: 'sigline', name: signatureLine }];
}

function optional(key: string, name: string, value: string | undefined): Line[] {
  return value === undefined ? [] : [{ key, name, value }];
}

/** A stripe and a typed number come without the chip's data. */
function chipRead({ entryMode }: ReceiptFacts): boolean {
  return entryMode === 'ICC' || entryMode === 'Contactless';
}

/** Visa and Mastercard exist by kind of account; of the other brands the variant is the brand. */
function variantOf({ application: { brand }, funding }: ReceiptFacts): string {
  return brand === 'visa' || brand === 'mc' ? `${brand}${funding}` : brand;
}

function entryModeText({ entryMode }: ReceiptFacts, texts: ReceiptTexts): string {
  switch (entryMode) {
    case 'ICC':
      return 'ICC';
    case 'Contactless':
      return texts.contactlessChip;
    case 'MagStripe':
      return texts.magneticStripe;
    case 'Keyed':
      return 'MKE';
  }
}

/** Printers set a space between sign and amount also where the language writes none: `€ 10.99`. */
function receiptMoney(minor: number, currency: string, language: Language): string {
  return formatMoney(minor, currency, language).replace(/^(\D*[^\d\s-])(\d)/, '$1 $2');
}

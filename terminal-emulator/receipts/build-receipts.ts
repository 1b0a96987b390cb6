import { isoTime } from '../../shared/clock.ts';
import type { Language } from '../../shared/emulator/screen.ts';
import { formatMoney } from '../../shared/money.ts';
import type { PaymentReceipt } from '../../shared/nexo/bodies.ts';
import { percent } from '../../shared/nexo/pairs.ts';
import { printable } from '../../shared/printable.ts';
import { recent } from '../../shared/recent.ts';
import type { ReceiptFacts } from './receipt-facts.ts';
import { type ReceiptTexts, receiptTexts } from './receipt-texts.ts';

/**
 * A receipt as the JSON text of nexo's PaymentReceipt. It goes into the answer and the tray as it is: a payment's two
 * have sixty lines, and as objects they cost more than all else in the answer.
 */
export interface EncodedReceipt {
  readonly qualifier: PaymentReceipt['DocumentQualifier'];
  readonly text: string;
}

/** One line: a name, its value, both or (a filler) neither. */
interface Line {
  key: string;
  name?: string;
  value?: string;
  bold?: boolean;
}

const filler = line({ key: 'filler' });

/** Where the shopper signs: as wide as the paper. */
const signatureLine = '_'.repeat(32);

/**
 * The two receipts of an approved payment: for the cashier in the merchant's language, for the customer in theirs.
 * Lines, keys and order are those of real terminals; a fact that a payment has not (a merchant's
 * reference, the chip's data of a stripe) leaves its line out.
 */
export function buildReceipts(facts: ReceiptFacts): EncodedReceipt[] {
  const { merchantLanguage, customerLanguage } = facts;
  const signed = facts.verification === 'PaperSignature';
  const merchant = receiptTexts[merchantLanguage];
  const customer = receiptTexts[customerLanguage];
  const merchantLines = paymentLines(facts, merchant, merchantLanguage);
  const customerLines =
    customerLanguage === merchantLanguage ? merchantLines : paymentLines(facts, customer, customerLanguage);
  return [
    receipt('CashierReceipt', signed, [
      ...headerLines(facts, { key: 'merchantTitle', name: merchant.merchantCopy, bold: true }),
      ...merchantLines,
      ...(signed ? signatureLines(merchant) : []),
    ]),
    receipt('CustomerReceipt', false, [
      ...headerLines(facts, { key: 'cardholderHeader', name: customer.cardholderCopy, bold: true }),
      ...customerLines,
      filler,
      line({ key: 'retain', name: customer.retain }),
      line({ key: 'thanks', name: customer.thanks }),
    ]),
  ];
}

function receipt(qualifier: EncodedReceipt['qualifier'], signed: boolean, lines: string[]): EncodedReceipt {
  const content = `{"OutputFormat":"Text","OutputText":[${lines.join(',')}]}`;
  const head = `"DocumentQualifier":"${qualifier}","RequiredSignatureFlag":${signed}`;
  return { qualifier, text: `{${head},"OutputContent":${content}}` };
}

/** Most of a receipt's texts were on the one before. */
const encoded = recent((text) => percent(printable(text)));

/** nexo's OutputText as JSON. What is percent-encoded needs no escaping. */
function line({ key, name, value, bold }: Line): string {
  const named = name === undefined ? '' : `name=${encoded(name)}&`;
  const valued = value === undefined ? '' : `value=${encoded(value)}&`;
  const style = bold ? ',"CharacterStyle":"Bold"' : '';
  return `{"Text":"${named}${valued}key=${key}"${style},"EndOfLineFlag":true}`;
}

function headerLines({ headers }: ReceiptFacts, title: Line): string[] {
  const [first, second] = headers;
  return [
    line({ key: 'header1', name: first, bold: true }),
    line({ key: 'header2', name: second, bold: true }),
    line(title),
    filler,
  ];
}

function paymentLines(facts: ReceiptFacts, texts: ReceiptTexts, language: Language): string[] {
  return [
    ...timeLines(facts, texts),
    filler,
    ...cardLines(facts, texts),
    filler,
    ...identityLines(facts),
    filler,
    line({ key: 'authCode', name: texts.authCode, value: facts.authCode }),
    line({ key: 'txRef', name: texts.tender, value: facts.tenderReference }),
    ...optional('mref', texts.reference, facts.saleReference),
    filler,
    line({ key: 'txtype', name: texts.type, value: 'GOODS_SERVICES' }),
    ...amountLines(facts, texts, language),
    filler,
    line({ key: 'approved', name: texts.approved, bold: true }),
  ];
}

function timeLines({ at }: ReceiptFacts, texts: ReceiptTexts): string[] {
  const iso = isoTime(at);
  const [year, month, day] = iso.slice(0, 10).split('-');
  return [
    line({ key: 'txdate', name: texts.date, value: `${day}/${month}/${year}` }),
    line({ key: 'txtime', name: texts.time, value: iso.slice(11, 19) }),
  ];
}

function cardLines(facts: ReceiptFacts, texts: ReceiptTexts): string[] {
  const { brand, label } = facts.application;
  return [
    line({ key: 'pan', name: texts.card, value: `****${facts.maskedPan.slice(-4)}` }),
    ...optional('panSeq', texts.panSequence, chipRead(facts) ? (facts.panSequence ?? '01') : undefined),
    line({ key: 'preferredName', name: texts.preferredName, value: label }),
    line({ key: 'cardType', name: texts.cardType, value: brand }),
    line({ key: 'paymentMethod', name: texts.paymentMethod, value: brand }),
    line({ key: 'paymentMethodVariant', name: texts.paymentVariant, value: variantOf(facts) }),
    line({ key: 'posEntryMode', name: texts.entryMode, value: entryModeText(facts, texts) }),
  ];
}

function identityLines(facts: ReceiptFacts): string[] {
  return [
    ...optional('aid', 'AID', chipRead(facts) ? facts.application.aid : undefined),
    line({ key: 'mid', name: 'MID', value: facts.merchantId }),
    line({ key: 'tid', name: 'TID', value: facts.poiId }),
    line({ key: 'ptid', name: 'PTID', value: facts.ptid }),
  ];
}

/** Where there is a tip, the requested amount and the tip stand above the total. */
function amountLines(facts: ReceiptFacts, texts: ReceiptTexts, language: Language): string[] {
  const money = (minor: number) => receiptMoney(minor, facts.currency, language);
  const { tipMinor = 0 } = facts;
  return [
    ...(tipMinor > 0
      ? [
          line({ key: 'originalAmount', name: texts.amount, value: money(facts.requestedMinor) }),
          line({ key: 'gratuityAmount', name: texts.tip, value: money(tipMinor) }),
        ]
      : []),
    line({ key: 'totalAmount', name: texts.total, value: money(facts.totalMinor), bold: true }),
  ];
}

function signatureLines(texts: ReceiptTexts): string[] {
  return [
    filler,
    line({ key: 'signature', name: texts.signature }),
    line({ key: 'sigline', name: signatureLine }),
  ];
}

function optional(key: string, name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [line({ key, name, value })];
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

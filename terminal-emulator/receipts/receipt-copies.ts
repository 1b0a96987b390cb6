import { isoTime } from '../../shared/clock.ts';
import type { Language } from '../../shared/emulator/screen.ts';
import { memoizeRecent } from '../../shared/memoize-recent.ts';
import { formatMoney } from '../../shared/money.ts';
import type { PaymentReceipt } from '../../shared/nexo/bodies.ts';
import type { EntryMode } from '../../shared/nexo/enums.ts';
import { percentEncode } from '../../shared/nexo/pairs.ts';
import { makePrintable } from '../../shared/printable.ts';
import type { ReceiptTexts } from '../screens/locales/locale.ts';
import { locales } from '../screens/locales.ts';
import type { CommonReceiptFacts } from './receipt-facts.ts';

/**
 * A receipt as the JSON text of nexo's PaymentReceipt. The text goes into the answer and the tray unchanged. The two
 * receipts of a payment have sixty lines. The lines are written as text, because an object for each line would take
 * more time than the rest of the answer.
 */
export interface EncodedReceipt {
  readonly qualifier: PaymentReceipt['DocumentQualifier'];
  readonly text: string;
}

/** One line of a receipt. It has a name, a value, or both; a filler has neither. */
interface Line {
  key: string;
  name?: string;
  value?: string;
  bold?: boolean;
}

export const fillerLine = encodeOutputText({ key: 'filler' });

/** Makes the lines between the head and the end of a receipt, in the receipt's language. */
type LinesIn = (texts: ReceiptTexts, language: Language) => string[];

/** Makes a receipt for the cashier in the merchant's language, and one for the customer in the customer's language. */
export function makeReceiptCopies(
  frame: CommonReceiptFacts,
  linesIn: LinesIn,
  signature?: LinesIn,
): EncodedReceipt[] {
  const { merchantLanguage, customerLanguage } = frame;
  const merchant = locales[merchantLanguage].receipt;
  const customer = locales[customerLanguage].receipt;
  const merchantLines = linesIn(merchant, merchantLanguage);
  const customerLines =
    customerLanguage === merchantLanguage ? merchantLines : linesIn(customer, customerLanguage);
  return [
    receipt('CashierReceipt', signature !== undefined, [
      ...headerLines(frame, { key: 'merchantTitle', name: merchant.merchantCopy, bold: true }),
      ...merchantLines,
      ...(signature?.(merchant, merchantLanguage) ?? []),
    ]),
    receipt('CustomerReceipt', false, [
      ...headerLines(frame, { key: 'cardholderHeader', name: customer.cardholderCopy, bold: true }),
      ...customerLines,
      fillerLine,
      encodeOutputText({ key: 'retain', name: customer.retain }),
      encodeOutputText({ key: 'thanks', name: customer.thanks }),
    ]),
  ];
}

function receipt(qualifier: EncodedReceipt['qualifier'], signed: boolean, lines: string[]): EncodedReceipt {
  const content = `{"OutputFormat":"Text","OutputText":[${lines.join(',')}]}`;
  const head = `"DocumentQualifier":"${qualifier}","RequiredSignatureFlag":${signed}`;
  return { qualifier, text: `{${head},"OutputContent":${content}}` };
}

/** Encodes a text. The results are cached, because most texts of a receipt were also on the previous receipt. */
const encoded = memoizeRecent((text) => percentEncode(makePrintable(text)));

/** Makes nexo's OutputText as JSON. Percent-encoded text needs no escaping. */
export function encodeOutputText({ key, name, value, bold }: Line): string {
  const named = name === undefined ? '' : `name=${encoded(name)}&`;
  const valued = value === undefined ? '' : `value=${encoded(value)}&`;
  const style = bold ? ',"CharacterStyle":"Bold"' : '';
  return `{"Text":"${named}${valued}key=${key}"${style},"EndOfLineFlag":true}`;
}

function headerLines({ headers }: CommonReceiptFacts, title: Line): string[] {
  const [first, second] = headers;
  return [
    encodeOutputText({ key: 'header1', name: first, bold: true }),
    encodeOutputText({ key: 'header2', name: second, bold: true }),
    encodeOutputText(title),
    fillerLine,
  ];
}

export function timeLines({ at }: CommonReceiptFacts, texts: ReceiptTexts): string[] {
  const iso = isoTime(at);
  const [year, month, day] = iso.slice(0, 10).split('-');
  return [
    encodeOutputText({ key: 'txdate', name: texts.date, value: `${day}/${month}/${year}` }),
    encodeOutputText({ key: 'txtime', name: texts.time, value: iso.slice(11, 19) }),
  ];
}

export function referenceLines(frame: CommonReceiptFacts, texts: ReceiptTexts): string[] {
  return [
    encodeOutputText({ key: 'txRef', name: texts.tender, value: frame.tenderReference }),
    ...makeOptionalLines('mref', texts.reference, frame.saleReference),
  ];
}

export function makeOptionalLines(key: string, name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [encodeOutputText({ key, name, value })];
}

/**
 * Writes an amount as printers do: `€ 10.99`. There is a space between currency sign and amount, even in languages that
 * usually have none.
 */
export function receiptAmountText(minor: number, currency: string, language: Language): string {
  return formatMoney(minor, currency, language).replace(/^(\D*[^\d\s-])(\d)/, '$1 $2');
}

export function entryModeText(entryMode: EntryMode, texts: ReceiptTexts): string {
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

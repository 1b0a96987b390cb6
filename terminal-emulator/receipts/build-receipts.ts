import type { Language } from '../../shared/emulator/screen.ts';
import type { ReceiptTexts } from '../screens/locales/locale.ts';
import {
  type EncodedReceipt,
  encodeOutputText,
  entryModeText,
  fillerLine,
  makeOptionalLines,
  makeReceiptCopies,
  receiptAmountText,
  referenceLines,
  timeLines,
} from './receipt-copies.ts';
import type { ReceiptFacts } from './receipt-facts.ts';

/** The line for the shopper's signature, as wide as the paper. */
const signatureLine = '_'.repeat(32);

/**
 * Makes the two receipts of an approved payment or refund. Their lines, keys and order are those of real terminals. If
 * a payment lacks a fact, such as a merchant's reference or data of a chip, the line for it is left out.
 */
export function buildReceipts(facts: ReceiptFacts): EncodedReceipt[] {
  const signed = facts.verification === 'PaperSignature';
  return makeReceiptCopies(
    facts,
    (texts, language) => paymentLines(facts, texts, language),
    signed ? signatureLines : undefined,
  );
}

function paymentLines(facts: ReceiptFacts, texts: ReceiptTexts, language: Language): string[] {
  const { refund } = facts;
  return [
    ...timeLines(facts, texts),
    fillerLine,
    ...cardLines(facts, texts),
    fillerLine,
    ...identityLines(facts),
    fillerLine,
    encodeOutputText({ key: 'authCode', name: texts.authCode, value: facts.authCode }),
    ...referenceLines(facts, texts),
    fillerLine,
    encodeOutputText({ key: 'txtype', name: texts.type, value: refund ? 'REFUND' : 'GOODS_SERVICES' }),
    ...amountLines(facts, texts, language),
    fillerLine,
    encodeOutputText({ key: 'approved', name: refund ? texts.refunded : texts.approved, bold: true }),
  ];
}

function cardLines(facts: ReceiptFacts, texts: ReceiptTexts): string[] {
  const { brand, label } = facts.application;
  return [
    encodeOutputText({ key: 'pan', name: texts.card, value: `****${facts.maskedPan.slice(-4)}` }),
    ...makeOptionalLines(
      'panSeq',
      texts.panSequence,
      chipRead(facts) ? (facts.panSequence ?? '01') : undefined,
    ),
    encodeOutputText({ key: 'preferredName', name: texts.preferredName, value: label }),
    encodeOutputText({ key: 'cardType', name: texts.cardType, value: brand }),
    encodeOutputText({ key: 'paymentMethod', name: texts.paymentMethod, value: brand }),
    encodeOutputText({ key: 'paymentMethodVariant', name: texts.paymentVariant, value: variantOf(facts) }),
    encodeOutputText({
      key: 'posEntryMode',
      name: texts.entryMode,
      value: entryModeText(facts.entryMode, texts),
    }),
  ];
}

function identityLines(facts: ReceiptFacts): string[] {
  return [
    ...makeOptionalLines('aid', 'AID', chipRead(facts) ? facts.application.aid : undefined),
    encodeOutputText({ key: 'mid', name: 'MID', value: facts.merchantId }),
    encodeOutputText({ key: 'tid', name: 'TID', value: facts.poiId }),
    encodeOutputText({ key: 'ptid', name: 'PTID', value: facts.ptid }),
  ];
}

/** The lines for amounts. With a tip, the requested amount and the tip stand above the total. */
function amountLines(facts: ReceiptFacts, texts: ReceiptTexts, language: Language): string[] {
  const money = (minor: number) => receiptAmountText(minor, facts.currency, language);
  const { tipMinor = 0 } = facts;
  return [
    ...(tipMinor > 0
      ? [
          encodeOutputText({ key: 'originalAmount', name: texts.amount, value: money(facts.requestedMinor) }),
          encodeOutputText({ key: 'gratuityAmount', name: texts.tip, value: money(tipMinor) }),
        ]
      : []),
    encodeOutputText({ key: 'totalAmount', name: texts.total, value: money(facts.totalMinor), bold: true }),
  ];
}

function signatureLines(texts: ReceiptTexts): string[] {
  return [
    fillerLine,
    encodeOutputText({ key: 'signature', name: texts.signature }),
    encodeOutputText({ key: 'sigline', name: signatureLine }),
  ];
}

/**
 * Whether the card was read by its chip, so that the chip's data can be printed. If the card was swiped or its number
 * was typed, there is no such data.
 */
function chipRead({ entryMode }: ReceiptFacts): boolean {
  return entryMode === 'ICC' || entryMode === 'Contactless';
}

/**
 * Gives the variant of a brand as receipts name it. Visa and Mastercard have one variant for each kind of account,
 * such as credit. For any other brand, the variant is the brand itself.
 */
function variantOf({ application: { brand }, funding }: ReceiptFacts): string {
  return brand === 'visa' || brand === 'mc' ? `${brand}${funding}` : brand;
}

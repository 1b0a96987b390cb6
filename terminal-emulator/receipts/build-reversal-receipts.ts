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
import type { ReversalFacts } from './receipt-facts.ts';

/**
 * Makes the two receipts of a reversal. No card is read for a reversal, so its receipts contain no data of a chip.
 * They show what the bank was asked to give back. Their lines are in the order of a real terminal.
 */
export function buildReversalReceipts(facts: ReversalFacts): EncodedReceipt[] {
  return makeReceiptCopies(facts, (texts, language) => reversalLines(facts, texts, language));
}

function reversalLines(facts: ReversalFacts, texts: ReceiptTexts, language: Language): string[] {
  const total = receiptAmountText(facts.totalMinor, facts.currency, language);
  return [
    ...timeLines(facts, texts),
    fillerLine,
    ...cardLines(facts, texts),
    encodeOutputText({ key: 'tid', name: 'TID', value: facts.poiId }),
    encodeOutputText({ key: 'ptid', name: 'PTID', value: facts.ptid }),
    fillerLine,
    ...referenceLines(facts, texts),
    fillerLine,
    encodeOutputText({ key: 'txtype', name: texts.type, value: 'REVERSAL' }),
    encodeOutputText({ key: 'totalAmount', name: texts.total, value: total, bold: true }),
    fillerLine,
    fillerLine,
    fillerLine,
    fillerLine,
    encodeOutputText({ key: 'void', name: texts.void, bold: true }),
  ];
}

/** The lines about the card of the payment that is reversed, as far as that card is known. */
function cardLines({ card }: ReversalFacts, texts: ReceiptTexts): string[] {
  if (!card) return [];
  const { brand, maskedNumber, entryMode } = card;
  return [
    encodeOutputText({ key: 'pan', name: texts.card, value: `****${maskedNumber.slice(-4)}` }),
    encodeOutputText({ key: 'cardType', name: texts.cardType, value: brand }),
    encodeOutputText({ key: 'paymentMethod', name: texts.paymentMethod, value: brand }),
    ...makeOptionalLines('posEntryMode', texts.entryMode, entryMode && entryModeText(entryMode, texts)),
    fillerLine,
  ];
}

import { stringifyAsciiJson } from '../../../shared/ascii-json.ts';
import { joinJsonTexts } from '../../../shared/json-list.ts';
import { memoizeByObject } from '../../../shared/memoize-recent.ts';
import { toLowerCamel } from '../../../shared/nexo/enums.ts';
import {
  type OutcomeReceipt,
  type OutcomeReceiptLine,
  outcomeNotesByName,
  type PaymentOutcome,
  type StoredOutcome,
} from '../core/outcome.ts';
import type { entryModeNames, TransactionResult } from './schemas.ts';

type PaymentResult = NonNullable<TransactionResult['paymentResult']>;
type Receipt = NonNullable<TransactionResult['paymentReceipt']>[number];
type ReceiptLine = Receipt['outputContent']['outputText'][number];

/**
 * Turns an outcome into the result that the POS receives. Only this file turns nexo's names into those of the API
 * (B31).
 */
export function transactionResultFromOutcome(outcome: PaymentOutcome): TransactionResult {
  const { payment, result, reason, notes, saleReference, card, amounts, receipts } = outcome;
  return {
    identifier: payment,
    response: {
      result,
      ...(reason && { errorCondition: toLowerCamel(reason) }),
      ...(notes && { additionalResponse: outcomeNotesByName(outcome) }),
    },
    ...(saleReference !== undefined && { saleData: { saleReferenceId: saleReference } }),
    ...(card && { paymentResult: paymentResultOf(card, amounts?.tip) }),
    ...(receipts && result === 'success' && { paymentReceipt: receipts.map(receiptOf) }),
  };
}

/**
 * Writes an outcome as the JSON text of a result. If several payments have the same receipt line, the line is turned
 * into text only once.
 */
export function transactionResultJson(outcome: StoredOutcome): string {
  if ('nativeAnswer' in outcome) return outcome.nativeAnswer;
  const { receipts, ...rest } = outcome;
  const text = stringifyAsciiJson(transactionResultFromOutcome(rest));
  if (!receipts || outcome.result !== 'success') return text;
  return `${text.slice(0, -1)},"paymentReceipt":${joinJsonTexts(receipts.map(receiptText))}}`;
}

function receiptText(receipt: OutcomeReceipt): string {
  const { documentQualifier, requiredSignatureFlag, outputContent } = receiptOf({ ...receipt, lines: [] });
  const lines = receipt.lines.map(lineText).join(',');
  const content = `{"outputFormat":"${outputContent.outputFormat}","outputText":[${lines}]}`;
  return `{"documentQualifier":"${documentQualifier}","requiredSignatureFlag":${requiredSignatureFlag},"outputContent":${content}}`;
}

const lineText = memoizeByObject((line: OutcomeReceiptLine) => stringifyAsciiJson(lineOf(line)));

function paymentResultOf(card: NonNullable<PaymentOutcome['card']>, tip: number | undefined): PaymentResult {
  return {
    paymentInstrumentData: {
      paymentInstrumentType: 'card',
      cardData: {
        paymentBrand: card.brand,
        maskedPan: card.maskedNumber,
        entryMode: card.entryModes.map((mode) => toLowerCamel(mode) as keyof typeof entryModeNames),
        cardCountryCode: card.country,
      },
    },
    ...(tip === undefined ? {} : { amountsResp: { tipAmount: tip } }),
  };
}

function receiptOf(receipt: OutcomeReceipt): Receipt {
  return {
    documentQualifier: receipt.for === 'cashier' ? 'cashierReceipt' : 'customerReceipt',
    requiredSignatureFlag: receipt.signature,
    outputContent: { outputFormat: 'text', outputText: receipt.lines.map(lineOf) },
  };
}

function lineOf({ text, style, ends: endOfLineFlag }: OutcomeReceiptLine): ReceiptLine {
  return style === undefined ? { text, endOfLineFlag } : { text, characterStyle: style, endOfLineFlag };
}

import { asciiJson } from '../../../shared/ascii-json.ts';
import { jsonList } from '../../../shared/json-list.ts';
import type { PaymentReceipt, PaymentResponse } from '../../../shared/nexo/bodies.ts';
import { type EntryMode, errorConditions, lowerCamel } from '../../../shared/nexo/enums.ts';
import { encodePairs } from '../../../shared/nexo/pairs.ts';
import { onceForEach } from '../../../shared/recent.ts';
import {
  noted,
  type OutcomeLine,
  type OutcomeReceipt,
  type PaymentOutcome,
  type StoredOutcome,
} from '../core/outcome.ts';
import { entryModeNames, type TransactionResult } from './schemas.ts';

type PaymentResult = NonNullable<TransactionResult['paymentResult']>;
type Receipt = NonNullable<TransactionResult['paymentReceipt']>[number];
type ReceiptLine = Receipt['outputContent']['outputText'][number];

/** An outcome as the POS gets it: the one place where nexo's names become those of the API (B31). */
export function resultOf(outcome: PaymentOutcome): TransactionResult {
  const { payment, result, reason, notes, saleReference, card, amounts, receipts } = outcome;
  return {
    identifier: payment,
    response: {
      result,
      ...(reason && { errorCondition: lowerCamel(reason) }),
      ...(notes && { additionalResponse: noted(outcome) }),
    },
    ...(saleReference !== undefined && { saleData: { saleReferenceId: saleReference } }),
    ...(card && { paymentResult: paymentResultOf(card, amounts?.tip) }),
    ...(receipts && result === 'success' && { paymentReceipt: receipts.map(receiptOf) }),
  };
}

/** The same as JSON text: the lines of its receipts are put together of text, and not written out for each payment. */
export function answerText(outcome: StoredOutcome): string {
  if ('nativeAnswer' in outcome) return outcome.nativeAnswer;
  const { receipts, ...rest } = outcome;
  const text = asciiJson(resultOf(rest));
  if (!receipts || outcome.result !== 'success') return text;
  return `${text.slice(0, -1)},"paymentReceipt":${jsonList(receipts.map(receiptText))}}`;
}

function receiptText(receipt: OutcomeReceipt): string {
  const { documentQualifier, requiredSignatureFlag, outputContent } = receiptOf({ ...receipt, lines: [] });
  const lines = receipt.lines.map(lineText).join(',');
  const content = `{"outputFormat":"${outputContent.outputFormat}","outputText":[${lines}]}`;
  return `{"documentQualifier":"${documentQualifier}","requiredSignatureFlag":${requiredSignatureFlag},"outputContent":${content}}`;
}

const lineText = onceForEach((line: OutcomeLine) => asciiJson(lineOf(line)));

function paymentResultOf(card: NonNullable<PaymentOutcome['card']>, tip: number | undefined): PaymentResult {
  return {
    paymentInstrumentData: {
      paymentInstrumentType: 'card',
      cardData: {
        paymentBrand: card.brand,
        maskedPan: card.maskedNumber,
        entryMode: card.entryModes.map((mode) => lowerCamel(mode) as keyof typeof entryModeNames),
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

function lineOf({ text, style, ends: endOfLineFlag }: OutcomeLine): ReceiptLine {
  return style === undefined ? { text, endOfLineFlag } : { text, characterStyle: style, endOfLineFlag };
}

/**
 * The way back: what a terminal would have answered. The POI's own data (its transaction, amounts authorized,
 * the acquirer's) is not part of a result, so the caller gives what of it matters.
 */
export function responseOf(
  result: TransactionResult,
  poi: {
    timeStamp: string;
    poiTransactionId: string;
    amountsResp?: NonNullable<PaymentResponse['PaymentResult']>['AmountsResp'];
  },
): PaymentResponse {
  const { response, saleData, paymentResult, paymentReceipt } = result;
  const errorCondition = errorConditions.find(
    (condition) => lowerCamel(condition) === response.errorCondition,
  );
  return {
    Response: {
      Result: response.result === 'success' ? 'Success' : 'Failure',
      ErrorCondition: errorCondition,
      ...(response.additionalResponse
        ? { AdditionalResponse: encodePairs(Object.entries(response.additionalResponse)) }
        : {}),
    },
    SaleData: {
      SaleTransactionID: { TransactionID: result.identifier, TimeStamp: poi.timeStamp },
      SaleReferenceID: saleData?.saleReferenceId,
    },
    POIData: { POITransactionID: { TransactionID: poi.poiTransactionId, TimeStamp: poi.timeStamp } },
    ...(paymentResult ? { PaymentResult: nexoPaymentResult(paymentResult, poi.amountsResp) } : {}),
    PaymentReceipt: paymentReceipt?.map(nexoReceipt),
  };
}

function nexoPaymentResult(
  { paymentInstrumentData: { cardData } }: PaymentResult,
  amountsResp: NonNullable<PaymentResponse['PaymentResult']>['AmountsResp'],
): PaymentResponse['PaymentResult'] {
  return {
    PaymentInstrumentData: {
      PaymentInstrumentType: 'Card',
      CardData: {
        PaymentBrand: cardData.paymentBrand,
        MaskedPan: cardData.maskedPan,
        EntryMode: cardData.entryMode.map((mode): EntryMode => entryModeNames[mode]),
        CardCountryCode: cardData.cardCountryCode,
      },
    },
    AmountsResp: amountsResp,
    OnlineFlag: true,
  };
}

function nexoReceipt({ documentQualifier, requiredSignatureFlag, outputContent }: Receipt): PaymentReceipt {
  return {
    DocumentQualifier: documentQualifier === 'cashierReceipt' ? 'CashierReceipt' : 'CustomerReceipt',
    RequiredSignatureFlag: requiredSignatureFlag,
    OutputContent: {
      OutputFormat: 'Text',
      OutputText: outputContent.outputText.map(
        ({ text: { name, value, key }, characterStyle, endOfLineFlag }) => ({
          Text: encodePairs([
            ['name', name],
            ...(value === undefined ? [] : [['value', value] as const]),
            ['key', key],
          ]),
          ...(characterStyle ? { CharacterStyle: characterStyle === 'bold' ? 'Bold' : 'Normal' } : {}),
          EndOfLineFlag: endOfLineFlag,
        }),
      ),
    },
  };
}

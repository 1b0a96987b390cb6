import type { OutputText, PaymentReceipt, PaymentResponse } from '../../shared/nexo/bodies.ts';
import { type EntryMode, type ErrorCondition, errorConditions, lowerCamel } from '../../shared/nexo/enums.ts';
import { decodePairs, encodePairs, readPairs } from '../../shared/nexo/pairs.ts';
import { entryModeNames, type TransactionResult } from './schemas.ts';

type PaymentResult = NonNullable<TransactionResult['paymentResult']>;
type Receipt = NonNullable<TransactionResult['paymentReceipt']>[number];
type ReceiptLine = Receipt['outputContent']['outputText'][number];

/** A terminal's answer as the POS gets it: the one place where nexo's names become those of the API (B31). */
export function resultOf(response: PaymentResponse): TransactionResult {
  const { Response, SaleData, PaymentResult, PaymentReceipt } = response;
  const failed = Response.Result === 'Failure';
  return {
    identifier: SaleData.SaleTransactionID.TransactionID,
    response: {
      result: failed ? 'failure' : 'success',
      ...(failed ? { errorCondition: lowerCamel(Response.ErrorCondition ?? 'Refusal') } : {}),
      ...(Response.AdditionalResponse === undefined
        ? {}
        : { additionalResponse: Object.fromEntries(decodePairs(Response.AdditionalResponse)) }),
    },
    ...(SaleData.SaleReferenceID === undefined
      ? {}
      : { saleData: { saleReferenceId: SaleData.SaleReferenceID } }),
    ...(PaymentResult ? { paymentResult: paymentResultOf(PaymentResult) } : {}),
    ...(PaymentReceipt && !failed ? { paymentReceipt: PaymentReceipt.map(receiptOf) } : {}),
  };
}

function paymentResultOf(result: NonNullable<PaymentResponse['PaymentResult']>): PaymentResult {
  const { CardData } = result.PaymentInstrumentData;
  const tip = result.AmountsResp?.TipAmount;
  return {
    paymentInstrumentData: {
      paymentInstrumentType: 'card',
      cardData: {
        paymentBrand: CardData.PaymentBrand,
        maskedPan: CardData.MaskedPan,
        entryMode: CardData.EntryMode.map((mode) => lowerCamel(mode) as keyof typeof entryModeNames),
        cardCountryCode: CardData.CardCountryCode,
      },
    },
    ...(tip === undefined ? {} : { amountsResp: { tipAmount: tip } }),
  };
}

function receiptOf(receipt: PaymentReceipt): Receipt {
  return {
    documentQualifier: lowerCamel(receipt.DocumentQualifier) as Receipt['documentQualifier'],
    requiredSignatureFlag: receipt.RequiredSignatureFlag,
    outputContent: { outputFormat: 'text', outputText: receipt.OutputContent.OutputText.map(lineOf) },
  };
}

function lineOf(line: OutputText): ReceiptLine {
  let name = '';
  let value: string | undefined;
  let key = '';
  readPairs(line.Text, (field, content) => {
    if (field === 'name') name = content;
    else if (field === 'value') value = content;
    else if (field === 'key') key = content;
  });
  const text = value === undefined ? { name, key } : { name, value, key };
  const { CharacterStyle, EndOfLineFlag: endOfLineFlag } = line;
  if (CharacterStyle === undefined) return { text, endOfLineFlag };
  return { text, characterStyle: CharacterStyle === 'Bold' ? 'bold' : 'normal', endOfLineFlag };
}

/** A failure the gateway itself concludes a payment with, in the same shape. */
export function failureOf(
  payment: { id: string; saleReferenceId?: string },
  errorCondition: ErrorCondition,
  message: string,
): TransactionResult {
  return {
    identifier: payment.id,
    response: {
      result: 'failure',
      errorCondition: lowerCamel(errorCondition),
      additionalResponse: { message },
    },
    ...(payment.saleReferenceId === undefined
      ? {}
      : { saleData: { saleReferenceId: payment.saleReferenceId } }),
  };
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

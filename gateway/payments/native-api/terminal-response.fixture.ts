import type { PaymentReceipt, PaymentResponse } from '../../../shared/nexo/bodies.ts';
import { type EntryMode, errorConditions, toLowerCamel } from '../../../shared/nexo/enums.ts';
import { encodePairs } from '../../../shared/nexo/pairs.ts';
import { entryModeNames, type TransactionResult } from './schemas.ts';

type PaymentResult = NonNullable<TransactionResult['paymentResult']>;
type Receipt = NonNullable<TransactionResult['paymentReceipt']>[number];

/**
 * Turns a result into the response that a terminal would have sent. A result does not contain the terminal's own data,
 * such as the time, the transaction's identifier and the authorized amounts. So the caller gives these data.
 */
export function makeTerminalResponse(
  result: TransactionResult,
  poi: {
    timeStamp: string;
    poiTransactionId: string;
    amountsResp?: NonNullable<PaymentResponse['PaymentResult']>['AmountsResp'];
  },
): PaymentResponse {
  const { response, saleData, paymentResult, paymentReceipt } = result;
  const errorCondition = errorConditions.find(
    (condition) => toLowerCamel(condition) === response.errorCondition,
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

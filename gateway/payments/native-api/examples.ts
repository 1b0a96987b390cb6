import type { TransactionResult } from './schemas.ts';

const line = (key: string, name: string, value?: string, bold = false) => ({
  text: { name, value, key },
  ...(bold ? { characterStyle: 'bold' as const } : {}),
  endOfLineFlag: true,
});

const cardData = {
  paymentBrand: 'mc',
  maskedPan: '541333 **** 9999',
  entryMode: ['icc'],
  cardCountryCode: '528',
} satisfies NonNullable<TransactionResult['paymentResult']>['paymentInstrumentData']['cardData'];

/** An example for the OpenAPI document. */
export const approvedExample: TransactionResult = {
  identifier: '019b78ce-9280-7000-8000-5f3759df0001',
  response: {
    result: 'success',
    additionalResponse: {
      acquirerResponseCode: 'APPROVED',
      cardScheme: 'mc',
      cardSummary: '9999',
      fundingSource: 'CREDIT',
      posAuthAmountCurrency: 'EUR',
      posAuthAmountValue: '2805',
      posEntryMode: 'ICC',
      pspReference: 'X7KQ2MZ9RT41LBWD',
      tid: '00000001',
    },
  },
  saleData: { saleReferenceId: 'order-1001' },
  paymentResult: {
    paymentInstrumentData: { paymentInstrumentType: 'card', cardData },
    amountsResp: { tipAmount: 2.55 },
  },
  paymentReceipt: [
    {
      documentQualifier: 'customerReceipt',
      requiredSignatureFlag: false,
      outputContent: {
        outputFormat: 'text',
        outputText: [
          line('totalAmount', 'TOTAL', '€ 28.05', true),
          line('approved', 'APPROVED', undefined, true),
        ],
      },
    },
  ],
};

/** An example for the OpenAPI document. */
export const declinedExample: TransactionResult = {
  identifier: '019b78ce-9280-7000-8000-5f3759df0002',
  response: {
    result: 'failure',
    errorCondition: 'refusal',
    additionalResponse: { message: 'NOT_ENOUGH_BALANCE', refusalReason: '210 Not enough balance' },
  },
  paymentResult: { paymentInstrumentData: { paymentInstrumentType: 'card', cardData } },
};

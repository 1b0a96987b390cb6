import { describe, expect, test } from 'vitest';
import type { PaymentResponse } from '../../../shared/nexo/bodies.ts';
import { type ErrorCondition, errorConditions, toLowerCamel } from '../../../shared/nexo/enums.ts';
import {
  makeGatewayFailureOutcome,
  outcomeJson,
  type PaymentOutcome,
  readStoredOutcome,
} from '../core/outcome.ts';
import { readOutcomeOfPaymentResponse } from '../core/outcome-from-nexo.ts';
import { approvedExample, declinedExample } from './examples.ts';
import { transactionResultFromOutcome, transactionResultJson } from './result-mapping.ts';
import { type TransactionResult, transactionResultSchema } from './schemas.ts';
import { makeTerminalResponse } from './terminal-response.fixture.ts';

const poi = { timeStamp: '2026-01-01T09:00:00.000Z', poiTransactionId: 'T.1' };
const at = Date.parse(poi.timeStamp);
const failureOf = (id: string, reason: ErrorCondition, message: string) =>
  transactionResultFromOutcome(makeGatewayFailureOutcome({ id, serviceId: 'S1' }, { reason, message, at }));
const answerOf = (row: Parameters<typeof readStoredOutcome>[0]) => {
  const outcome = readStoredOutcome(row);
  return outcome && transactionResultJson(outcome);
};
const there = (result: TransactionResult) =>
  transactionResultFromOutcome(readOutcomeOfPaymentResponse(makeTerminalResponse(result, poi)));

describe('a result', () => {
  test.each([
    ['approved, with tip and receipt', approvedExample],
    ['declined', declinedExample],
    ['found by the gateway', failureOf(approvedExample.identifier, 'DeviceOut', 'lost')],
  ])('%s is the same after conversion to nexo and back', (_, result) => {
    const there_ = makeTerminalResponse(result, {
      ...poi,
      ...(result.paymentResult?.amountsResp
        ? { amountsResp: { Currency: 'EUR', AuthorizedAmount: 28.05, TipAmount: 2.55 } }
        : {}),
    });
    expect(transactionResultFromOutcome(readOutcomeOfPaymentResponse(there_))).toEqual(result);
    expect(
      transactionResultSchema.safeParse(transactionResultFromOutcome(readOutcomeOfPaymentResponse(there_)))
        .success,
    ).toBe(true);
  });

  test('has every error condition in its own spelling (B34)', () => {
    const names = errorConditions.map(
      (condition) => there(failureOf('x', condition, '')).response.errorCondition,
    );
    expect(names).toEqual(errorConditions.map(toLowerCamel));
  });

  test('has the pairs of AdditionalResponse as a map, whatever values they hold (B31)', () => {
    const additionalResponse = { message: 'a=b&c %20+é', empty: '' };
    const result: TransactionResult = {
      identifier: 'x',
      response: { result: 'failure', errorCondition: 'refusal', additionalResponse },
    };
    expect(there(result)).toEqual(result);
  });

  test('has no receipt if the payment failed (B32)', () => {
    const response = makeTerminalResponse(approvedExample, poi);
    const failed = { ...response, Response: { Result: 'Failure', ErrorCondition: 'Cancel' } } as const;
    expect(transactionResultFromOutcome(readOutcomeOfPaymentResponse(failed))).not.toHaveProperty(
      'paymentReceipt',
    );
  });
});

describe('an outcome', () => {
  const reference = { TransactionID: 'T.1', TimeStamp: poi.timeStamp };
  const response: PaymentResponse = {
    ...makeTerminalResponse(approvedExample, {
      ...poi,
      amountsResp: { Currency: 'EUR', AuthorizedAmount: 28.05, TipAmount: 2.55 },
    }),
    POIData: { POITransactionID: reference, AttemptID: 'attempt-1' },
  };
  if (response.PaymentResult) {
    response.PaymentResult.AuthenticationMethod = ['OfflinePIN'];
    const { CardData } = response.PaymentResult.PaymentInstrumentData;
    CardData.SensitiveCardData = { CardSeqNumb: '01', ExpiryDate: '1230' };
    response.PaymentResult.PaymentAcquirerData = {
      MerchantID: 'M1',
      AcquirerPOIID: 'P1',
      AcquirerTransactionID: { TransactionID: 'A.1', TimeStamp: poi.timeStamp },
      ApprovalCode: '123456',
    };
  }
  response.Response.AdditionalResponse = 'message=one&message=two&empty=';

  test('has everything that the terminal answered, even what the result does not contain', () => {
    const at = poi.timeStamp;
    expect(readOutcomeOfPaymentResponse(response)).toMatchObject({
      result: 'success',
      notes: [
        ['message', 'one'],
        ['message', 'two'],
        ['empty', ''],
      ],
      amounts: { currency: 'EUR', authorized: 28.05, tip: 2.55 },
      card: { sequence: '01', expiry: '1230' },
      verification: ['OfflinePIN'],
      online: true,
      references: {
        terminal: { id: 'T.1', at },
        attempt: 'attempt-1',
        acquirer: { merchant: 'M1', terminal: 'P1', transaction: { id: 'A.1', at }, approvalCode: '123456' },
      },
    });
    expect(
      transactionResultFromOutcome(readOutcomeOfPaymentResponse(response)).response.additionalResponse,
    ).toEqual({
      message: 'two',
      empty: '',
    });
  });

  test('gives the same answer after it was stored, and a row of version 0.1.0 gives the text in it', () => {
    const outcome = readOutcomeOfPaymentResponse(response);
    const text = transactionResultJson(outcome);
    expect(answerOf({ answer: '', outcome: outcomeJson(outcome) })).toBe(text);
    expect(answerOf({ answer: '', outcome: JSON.stringify(outcome) })).toBe(text);
    expect(answerOf({ answer: '{ "b":1,  "a":2 }', outcome: null })).toBe('{ "b":1,  "a":2 }');
    expect(answerOf({ answer: null, outcome: null })).toBeUndefined();
  });
});

test.each<[string, PaymentOutcome]>([
  ['an approved one with receipts', readOutcomeOfPaymentResponse(makeTerminalResponse(approvedExample, poi))],
  ['a declined one', readOutcomeOfPaymentResponse(makeTerminalResponse(declinedExample, poi))],
  [
    'one found by the gateway',
    makeGatewayFailureOutcome(
      { id: 'x', serviceId: 'S1', saleReferenceId: 'Café 🥐' },
      { reason: 'DeviceOut', message: 'lost', at },
    ),
  ],
  [
    'a failure with receipts, which are not answered',
    { ...readOutcomeOfPaymentResponse(makeTerminalResponse(approvedExample, poi)), result: 'failure' },
  ],
  [
    'lines that JSON has to escape',
    {
      payment: 'x',
      result: 'success',
      receipts: [
        { for: 'cashier', signature: true, lines: [] },
        {
          for: 'customer',
          signature: false,
          lines: [
            {
              text: { name: 'Summe "€"\n\\', value: '25,00 € $& $1', key: 'k\u2028🥐' },
              style: 'bold',
              ends: true,
            },
            { text: { name: '', key: '' }, style: 'normal', ends: false },
            { text: { name: '', value: '', key: '' }, ends: false },
          ],
        },
      ],
    },
  ],
])('%s is written as ASCII JSON, both stored and answered', (_, outcome) => {
  for (const text of [transactionResultJson(outcome), outcomeJson(outcome)]) expect(text).toMatch(/^[ -~]*$/);
  expect(JSON.stringify(JSON.parse(transactionResultJson(outcome)))).toBe(
    JSON.stringify(transactionResultFromOutcome(outcome)),
  );
  expect(JSON.stringify(JSON.parse(outcomeJson(outcome)))).toBe(JSON.stringify(outcome));
});

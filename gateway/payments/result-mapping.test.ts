import { describe, expect, test } from 'vitest';
import { errorConditions, lowerCamel } from '../../shared/nexo/enums.ts';
import { approvedExample, declinedExample } from './examples.ts';
import { failureOf, responseOf, resultOf } from './result-mapping.ts';
import { type TransactionResult, transactionResult } from './schemas.ts';

const poi = { timeStamp: '2026-01-01T09:00:00.000Z', poiTransactionId: 'T.1' };
const there = (result: TransactionResult) => resultOf(responseOf(result, poi));

describe('a result', () => {
  test.each([
    ['approved, with tip and receipt', approvedExample],
    ['declined', declinedExample],
    ['found by the gateway', failureOf({ id: approvedExample.identifier }, 'DeviceOut', 'lost')],
  ])('%s is the same after the way to nexo and back', (_, result) => {
    const there_ = responseOf(result, {
      ...poi,
      ...(result.paymentResult?.amountsResp
        ? { amountsResp: { Currency: 'EUR', AuthorizedAmount: 28.05, TipAmount: 2.55 } }
        : {}),
    });
    expect(resultOf(there_)).toEqual(result);
    expect(transactionResult.safeParse(resultOf(there_)).success).toBe(true);
  });

  test('has every error condition in its own spelling (B34)', () => {
    const names = errorConditions.map(
      (condition) => there(failureOf({ id: 'x' }, condition, '')).response.errorCondition,
    );
    expect(names).toEqual(errorConditions.map(lowerCamel));
  });

  test('has the pairs of AdditionalResponse as a map, whatever they hold (B31)', () => {
    const additionalResponse = { message: 'a=b&c %20+é', empty: '' };
    const result: TransactionResult = {
      identifier: 'x',
      response: { result: 'failure', errorCondition: 'refusal', additionalResponse },
    };
    expect(there(result)).toEqual(result);
  });

  test('has no receipt where it failed (B32)', () => {
    const response = responseOf(approvedExample, poi);
    const failed = { ...response, Response: { Result: 'Failure', ErrorCondition: 'Cancel' } } as const;
    expect(resultOf(failed)).not.toHaveProperty('paymentReceipt');
  });
});

import { expect, test } from 'vitest';
import { approvalAnswer, startPaymentHarness } from './payment-harness.fixture.ts';

test('AdditionalResponse has its known keys in alphabetical order, capitals first', () => {
  const { outcome, pay, tap, answer } = startPaymentHarness();
  pay();
  tap('visa-credit');
  answer(approvalAnswer);
  const { AdditionalResponse: text = '' } = outcome()?.response.Response ?? {};
  const keys = text.split('&').map((pair) => pair.split('=')[0]);
  expect(keys.slice(0, 2)).toEqual(['AID', 'acquirerResponseCode']);
  expect(keys).toEqual(keys.toSorted());
  expect(keys).not.toContain('refusalReason');
});

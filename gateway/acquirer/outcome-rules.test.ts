import { expect, test } from 'vitest';
import { amountEndingOf, defaultAmountEndingRefusals } from './amount-endings.ts';
import { decideByRules, type OutcomeRuleFacts, wrongPinReason } from './outcome-rules.ts';

const plain: OutcomeRuleFacts = {
  amount: 2500,
  currency: 'EUR',
  magicAmounts: { on: true, setBy: 'account' },
};
const behaviour = {
  errorCondition: 'Refusal',
  refusalReason: '199 Card blocked',
  message: 'BLOCK_CARD',
} as const;
const card = { maskedPan: '476173 **** 0119', behaviour };
const decline = { type: 'decline', ...behaviour } as const;
const rule = (circumstances: Partial<OutcomeRuleFacts>) =>
  decideByRules({ ...plain, ...circumstances }, defaultAmountEndingRefusals).rule;

test('the first rule that applies decides (B128)', () => {
  const everything: Partial<OutcomeRuleFacts> = {
    onlinePin: 'Wrong',
    paymentOutcome: { type: 'approve' },
    terminalOutcome: decline,
    card,
    amount: 124,
  };
  const order = ['onlinePin', 'paymentOutcome', 'terminalOutcome', 'card', 'amountEnding', 'default'];
  const left = { ...everything };
  for (const [index, step] of (
    ['onlinePin', 'paymentOutcome', 'terminalOutcome', 'card', 'amount'] as const
  ).entries()) {
    expect(rule(left)).toBe(order[index]);
    delete left[step];
  }
  expect(rule(left)).toBe('default');
});

test('the outcomes silent and late change when the host answers, not what it decides', () => {
  expect(rule({ paymentOutcome: { type: 'silent' }, terminalOutcome: decline })).toBe('terminalOutcome');
  expect(rule({ paymentOutcome: { type: 'late', delayMs: 1 }, amount: 124 })).toBe('amountEnding');
});

test.each([
  [121, 'Refusal', '214 Declined online', 'CANCELLED'],
  [124, 'Refusal', '210 Not enough balance', 'NOT_ENOUGH_BALANCE'],
  [128, 'InvalidCard', '214 Declined online', 'INVALID_CARD'],
  [13_121, 'Refusal', '214 Declined online', 'CANCELLED'],
  [134, 'WrongPIN', '129 Invalid online PIN', 'INVALID_PIN'],
  [999_166, 'Cancel', '102 Shopper cancelled pin entry', 'Shopper cancelled pin entry'],
])('the amount %d is answered %s', (amount, errorCondition, refusalReason, message) => {
  expect(decideByRules({ ...plain, amount }, defaultAmountEndingRefusals).behaviour).toEqual({
    errorCondition,
    refusalReason,
    message,
  });
});

test.each([100, 12, 143, 145, 149, 150, 152, 153, 124_000])('the amount %d is approved', (amount) => {
  expect(decideByRules({ ...plain, amount }, defaultAmountEndingRefusals).behaviour).toBeUndefined();
});

test('the amount ending is the last three digits of the minor units', () => {
  expect([5, 1_005, 120_000].map(amountEndingOf)).toEqual(['005', '005', '000']);
});

test('the explanation says when magic amounts are off (B131)', () => {
  const { rule: decided, why } = decideByRules(
    { ...plain, amount: 124, magicAmounts: { on: false, setBy: 'terminal' } },
    defaultAmountEndingRefusals,
  );
  expect(decided).toBe('default');
  expect(why).toContain('magic amounts are switched off for the terminal');
});

test('every decision gives its reason in words (B132)', () => {
  const why = (more: Partial<OutcomeRuleFacts>) =>
    decideByRules({ ...plain, ...more }, defaultAmountEndingRefusals).why;
  expect(why({ amount: 124 })).toBe('the requested amount 1.24 EUR ends in 124: Not enough balance (210)');
  expect(why({ card })).toBe('the test card 476173 **** 0119 declines: Card blocked (199)');
  expect(why({ terminalOutcome: { type: 'approve' } })).toBe('a test set this terminal to approve');
  expect(why({ onlinePin: 'Wrong' })).toBe('the online PIN is wrong');
});

test('the terminal finds every PIN wrong if the host would (B130)', () => {
  const pinRule = (more: Partial<OutcomeRuleFacts>) =>
    wrongPinReason({ ...plain, ...more }, defaultAmountEndingRefusals);
  expect(pinRule({ amount: 134 })).toContain('ends in 134');
  expect(pinRule({ terminalOutcome: { type: 'wrongPin' } })).toContain('refuse every PIN as wrong');
  expect(pinRule({ amount: 134, terminalOutcome: { type: 'approve' } })).toBeUndefined();
  expect(pinRule({ amount: 134, magicAmounts: { on: false, setBy: 'account' } })).toBeUndefined();
  expect(pinRule({})).toBeUndefined();
});

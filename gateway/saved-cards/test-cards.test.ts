import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { declineCodes, refundBehaviours, testCards } from './default/test-cards.ts';
import { describeTestCardBehaviour, findTestCard } from './test-cards.ts';

/**
 * Returns whether the check digit of a card number is right by ISO/IEC 7812-1. For this check, every second digit from
 * the right is doubled.
 */
function luhnHolds(number: string): boolean {
  const digits = [...number].reverse().map(Number);
  const sum = digits.reduce((total, digit, at) => {
    const counted = at % 2 === 0 ? digit : digit * 2;
    return total + (counted > 9 ? counted - 9 : counted);
  }, 0);
  return sum % 10 === 0;
}

test.each(testCards.map((card) => [card.id, card] as const))(
  '%s has a number with a valid check digit',
  (_id, card) => {
    expect(luhnHolds(card.number)).toBe(true);
    expect(findTestCard(card.id)).toBe(card);
    expect(findTestCard(card.number)).toBe(card);
  },
);

test('each id and each number occurs once', () => {
  expect(new Set(testCards.map(({ id }) => id)).size).toBe(testCards.length);
  expect(new Set(testCards.map(({ number }) => number)).size).toBe(testCards.length);
});

test('there is a card for every decline and for every result of a refund (B77, B80)', () => {
  const declines = testCards.map(({ authorize }) => authorize?.declineCode);
  expect(declineCodes.filter((code) => !declines.includes(code))).toEqual([]);
  const refunds = testCards.map(({ refund }) => refund);
  expect(refundBehaviours.filter((behaviour) => !refunds.includes(behaviour))).toEqual([]);
});

test('the page of the documentation lists exactly these cards, with their results', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'saved-cards.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| `[a-z0-9-]+` \| \d{12,19} \|/.test(line));
  expect(rows).toEqual(
    testCards.map(
      (card) =>
        `| \`${card.id}\` | ${card.number} | ${card.brand} | The card ${describeTestCardBehaviour(card)} |`,
    ),
  );
});

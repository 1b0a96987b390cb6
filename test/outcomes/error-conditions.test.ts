import { describe, expect, test } from 'vitest';
import { errorConditions, toLowerCamel } from '../../shared/nexo/enums.ts';
import { sampleCases } from '../draws.ts';
import { type StackHarness, stackHarness } from '../stack/stack-harness.ts';
import { codesIn, tableUnder } from './markdown-table.ts';
import { outcomesPageText, PageReader } from './page-reader.ts';

/**
 * Follows docs/outcomes.md as a reader would: takes the tables from the Markdown and sends their requests over HTTP.
 * The test uses nothing but the tables and HTTP.
 */

const ending = tableUnder(outcomesPageText, 'Conditions that end a payment').map((row) => ({
  condition: codesIn(row.errorCondition ?? '')[0] ?? '',
  steps: codesIn(row['How to produce it'] ?? ''),
  cardRead: row.Card === 'yes',
}));
const elsewhere = tableUnder(outcomesPageText, 'Conditions that end no payment').map((row) => ({
  condition: codesIn(row.errorCondition ?? '')[0] ?? '',
  steps: codesIn(row['Try it'] ?? ''),
  answer: codesIn(row.Answer ?? '')[0] ?? '',
}));

/** Checks that both ledgers agree once everything has settled. */
async function booksAgree(harness: StackHarness): Promise<void> {
  await harness.advance(300_000);
  const { body } = await harness.control('GET', '/books');
  expect(body).toMatchObject({ agree: true, open: 0, differences: [] });
}

test('every condition is in exactly one of the two tables (B34)', () => {
  const listed = [
    ...new Set(ending.map(({ condition }) => condition)),
    ...elsewhere.map((row) => row.condition),
  ];
  expect(listed.toSorted()).toEqual(errorConditions.map((condition) => toLowerCamel(condition)).toSorted());
});

describe('conditions that end a payment (B33)', () => {
  for (const { condition, steps, cardRead } of sampleCases(ending, 3)) {
    test(`${condition}: ${steps.join(', ')}`, async () => {
      const harness = await stackHarness();
      const reader = new PageReader(harness);
      await reader.follow(steps);
      const result = await reader.result();
      expect(result.response).toMatchObject({ result: 'failure', errorCondition: condition });
      expect(result.paymentReceipt).toBeUndefined();
      expect(result.paymentResult !== undefined).toBe(cardRead);
      await booksAgree(harness);
      const again = await harness.http('GET', `/payment-requests/status?transactionId=${result.identifier}`);
      expect(again.body).toEqual(result);
    });
  }
});

describe('conditions that end no payment', () => {
  for (const { condition, steps, answer } of elsewhere.filter(({ steps }) => steps.length > 0)) {
    test(`${condition}: ${steps.join(', ')}`, async () => {
      const harness = await stackHarness();
      const reader = new PageReader(harness);
      await reader.follow(steps);
      const { status, body } = await reader.lastAnswer();
      const reported = body as unknown as { error?: string; status?: string };
      expect(`${status} ${reported.error ?? reported.status}`).toBe(answer);
      await booksAgree(harness);
    });
  }
});

describe('any condition can be rehearsed', () => {
  const [rehearsal] = tableUnder(outcomesPageText, 'Any condition');
  const steps = codesIn(rehearsal?.Steps ?? '');

  test('the page lists all of them', () => {
    expect(codesIn(rehearsal?.Result ?? '')).toEqual(expect.arrayContaining([...errorConditions]));
  });

  for (const condition of errorConditions) {
    test(condition, async () => {
      const harness = await stackHarness();
      const reader = new PageReader(harness);
      await reader.follow(steps.map((step) => step.replace('CONDITION', condition)));
      expect((await reader.result()).response).toMatchObject({
        result: 'failure',
        errorCondition: toLowerCamel(condition),
      });
      await booksAgree(harness);
    });
  }
});

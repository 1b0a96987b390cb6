import { describe, expect, test } from 'vitest';
import { defaultAmountEndingRefusals } from '../../gateway/acquirer/amount-endings.ts';
import { outcomesPagePath, withEndingsTable } from '../../scripts/docs-outcomes.ts';
import { demoAccounts } from '../../stack/demo-accounts.ts';
import { stackHarness } from '../stack/stack-harness.ts';
import { codesIn, tableUnder } from './markdown-table.ts';
import { outcomesPageText, PageReader } from './page-reader.ts';

const endings = tableUnder(outcomesPageText, 'Amounts that choose the outcome').map((row) => ({
  ending: row.Ending ?? '',
  condition: codesIn(row.errorCondition ?? '')[0] ?? '',
  refusalReason: row.refusalReason,
  message: row.message,
}));

test('docs/outcomes.md lists every ending in force', () => {
  expect(endings.map(({ ending }) => ending)).toEqual(Object.keys(defaultAmountEndingRefusals));
});

test('a page without its marks is reported, not overwritten', () => {
  expect(() => withEndingsTable('# Outcomes')).toThrow(`${outcomesPagePath.slice(-16)} has no`);
});

describe('an amount ends in', () => {
  for (const { ending, condition, refusalReason, message } of endings) {
    test(`${ending}: ${condition}, ${refusalReason}`, async () => {
      const harness = await stackHarness();
      const reader = new PageReader(harness);
      await reader.follow([`pay ${Number(ending) / 100}`, 'tap visa-credit']);
      const { response, identifier } = await reader.result();
      expect(response).toMatchObject({ result: 'failure', errorCondition: condition });
      expect(response.additionalResponse).toMatchObject({ refusalReason, message });
      expect((await harness.control('GET', `/payments/${identifier}`)).body).toMatchObject({
        rule: 'amountEnding',
        why: expect.stringContaining(`ends in ${ending}`),
      });
    });
  }
});

test.each([
  ['EUR', '1001.24', 'refusal'],
  ['JPY', '1124', 'refusal'],
  ['KWD', '7.124', 'refusal'],
  ['EUR', '1.2', 'none'],
  ['EUR', '10.14', 'none'],
  ['JPY', '12400', 'none'],
])('the last three digits count in minor units: %s %s ends as %s', async (currency, amount, condition) => {
  const [account] = demoAccounts;
  const harness = await stackHarness({
    accounts: [{ ...account!, currency, transactionLimit: 100_000 }],
    shopper: { card: 'phone', entry: 'Contactless', tip: 'none', thinkMs: 0 },
  });
  const reader = new PageReader(harness);
  await reader.follow([`pay ${amount}`]);
  expect((await reader.result()).response.errorCondition ?? 'none').toBe(condition);
});

test('a tip does not change which ending counts', async () => {
  const harness = await stackHarness();
  const reader = new PageReader(harness);
  const tip = '"gratuity":{"enabled":true,"options":[{"type":"fixed","value":0.24}]}';
  await reader.follow([`pay 1 with ${tip}`, 'press 1', 'tap visa-credit']);
  expect((await reader.result()).response.result).toBe('success');
});

test.each(['account', 'terminal'] as const)(
  'with magic amounts off for the %s, the amount is approved',
  async (where) => {
    const [account] = demoAccounts;
    const [store] = account!.stores;
    const off = { magicAmounts: false };
    const harness = await stackHarness({
      accounts: [
        {
          ...account!,
          ...(where === 'account' ? off : {}),
          stores: [
            {
              ...store!,
              terminals: [{ poiId: 'V400m-1', language: 'en', ...(where === 'terminal' ? off : {}) }],
            },
          ],
        },
      ],
    });
    const reader = new PageReader(harness);
    await reader.follow(['pay 1.24', 'tap visa-credit']);
    expect((await reader.result()).response.result).toBe('success');
  },
);

import { expect, test } from 'vitest';
import { makeResultBody } from '../sales/sales.fixture.ts';
import { lintWithSales } from './lint-with-sales.ts';
import { createLintHarness } from './watched.fixture.ts';

test('a wrong belief is found in the journal, unless nothing of its sale is judged (B242, B255)', () => {
  const { pos } = createLintHarness();
  const asked = pos.asks({ key: 'k1', reference: 'sale-1' });
  pos.accepted(asked, 'p1', { key: 'k1', reference: 'sale-1' });
  pos.approved('p1');
  pos.answered(asked, 200, makeResultBody('p1'));
  pos.journal.add('belief.stated', { saleId: 'p1', believes: 'notPaid', payment: 'p1' });
  expect(lintWithSales(pos.journal.since())).toMatchObject([
    { rule: 'wrong-belief', link: 'docs/sales.md#wrong-belief', payment: 'p1' },
  ]);
  expect(lintWithSales(pos.journal.since(), { ignore: () => true })).toEqual([]);
});

test('a reference that too many payments share is found in the journal (B237)', () => {
  const { pos } = createLintHarness();
  for (let count = 0; count < 21; count++) {
    const names = { key: `k${count}`, reference: 'all' };
    const asked = pos.asks(names);
    pos.accepted(asked, `p${count}`, names);
    pos.declined(`p${count}`);
    pos.answered(asked, 200, makeResultBody(`p${count}`, 'failure'));
  }
  expect(lintWithSales(pos.journal.since()).map(({ rule, count }) => [rule, count])).toEqual([
    ['shared-reference', 21],
  ]);
});

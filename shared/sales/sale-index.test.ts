import { expect, test } from 'vitest';
import { SaleIndex } from './sale-index.ts';
import type { CallRecord } from './sale-record.ts';

test('a call that a merged sale leaves out no longer counts as under way', () => {
  const index = new SaleIndex(1_000, { removed: () => {}, regrouped: () => {} });
  const [record, other] = ['one', 'other'].map((sale) => {
    const made = index.create('payment', 0);
    for (let at = 0; at < 150; at++) {
      const call = { requestId: `${sale}-${at}`, at, end: 'open', telling: [] } as Partial<CallRecord>;
      index.begin(call as CallRecord, made);
    }
    return made;
  });
  if (record && other) index.absorb(record, other);
  expect(record).toMatchObject({ callsLeftOut: 100 });
  expect(new Set(index.underWay)).toEqual(new Set(record?.calls));
});

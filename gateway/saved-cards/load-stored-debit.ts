import { parseRowsValue, selectRowsAsValue } from '../../shared/database/rows-as-value.ts';
import type { DebitEntryInMemory } from '../acquirer/debit-ledger.ts';
import { prepareQuery } from '../store/prepared.ts';
import type { RefundLimitRow, RefundRow } from '../store/rows/refunds.ts';
import type { Tx } from '../store/schema.ts';
import type { StoredDebit } from './core/step.ts';

const entryColumns = ['kind', 'amount', 'psp_reference', 'refund_id'] as const;
const refundColumns = namesOf<RefundRow>({
  id: true,
  account_id: true,
  environment: true,
  debit_id: true,
  amount: true,
  currency: true,
  reason: true,
  reason_details: true,
  status: true,
  why: true,
  created_at: true,
  due_at: true,
  submitted_at: true,
  failed_at: true,
});
const limitColumns = namesOf<RefundLimitRow>({
  debit_id: true,
  blocked_amount: true,
  blocked_reason: true,
  closed_at: true,
  closed_reason: true,
});

/**
 * Reads everything that is stored about a debit. A single SQL statement reads it, because another gateway might change
 * the debit between two statements.
 */
export async function loadStoredDebit(db: Tx, id: string): Promise<StoredDebit | undefined> {
  const [found] = await allOf(db, { id });
  if (!found) return undefined;
  const { entries, refunds, limits, ...debit } = found;
  const [limit] = parseRowsValue(limits ?? []);
  return { debit, entries: parseRowsValue(entries ?? []), refunds: parseRowsValue(refunds ?? []), limit };
}

const allOf = prepareQuery((db, arg: (name: 'id') => never) =>
  db
    .selectFrom('debits')
    .selectAll()
    .select(({ selectFrom }) => [
      selectFrom('ledger')
        .select(selectRowsAsValue<DebitEntryInMemory>(db, 'ledger', 'id', entryColumns).as('rows'))
        .whereRef('payment_id', '=', 'debits.id')
        .as('entries'),
      selectFrom('refunds')
        .select(selectRowsAsValue<RefundRow>(db, 'refunds', 'id', refundColumns).as('rows'))
        .whereRef('debit_id', '=', 'debits.id')
        .as('refunds'),
      selectFrom('refund_limits')
        .select(selectRowsAsValue<RefundLimitRow>(db, 'refund_limits', 'debit_id', limitColumns).as('rows'))
        .whereRef('debit_id', '=', 'debits.id')
        .as('limits'),
    ])
    .where('id', '=', arg('id')),
);

/** Gives the names of all columns of a row. The type makes sure that none is missing. */
function namesOf<Row>(columns: Record<keyof Row, true>): (keyof Row & string)[] {
  return Object.keys(columns) as (keyof Row & string)[];
}

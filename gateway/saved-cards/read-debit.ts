import { rowAsValue, rowsAsValue } from '../../shared/database/postgres-expressions.ts';
import type { DebitEntry } from '../acquirer/debit-ledger.ts';
import { prepared } from '../store/prepared.ts';
import type { RefundLimitRow, RefundRow } from '../store/rows/refunds.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import type { Tx } from '../store/schema.ts';
import type { StoredDebit } from './core/step.ts';

const debitById = prepared((db, arg: (name: 'id') => never) =>
  db.selectFrom('debits').selectAll().where('id', '=', arg('id')),
);
const entryColumns = ['kind', 'amount', 'psp_reference', 'refund_id'] as const;
const entriesOf = prepared((db, arg: (name: 'id') => never) =>
  db.selectFrom('ledger').select(entryColumns).where('payment_id', '=', arg('id')).orderBy('id'),
);
const refundsOf = prepared((db, arg: (name: 'id') => never) =>
  db.selectFrom('refunds').selectAll().where('debit_id', '=', arg('id')).orderBy('id'),
);
const limitOf = prepared((db, arg: (name: 'id') => never) =>
  db.selectFrom('refund_limits').selectAll().where('debit_id', '=', arg('id')),
);

/** What is stored of a debit. */
export function readDebit(db: Tx, id: string, isShared: boolean): Promise<StoredDebit | undefined> {
  return isShared ? readAtOnce(db, id) : readFacts(db, id);
}

async function readFacts(db: Tx, id: string): Promise<StoredDebit | undefined> {
  const [debit] = await debitById(db, { id });
  if (!debit) return undefined;
  const [limit] = await limitOf(db, { id });
  return { debit, entries: await entriesOf(db, { id }), refunds: await refundsOf(db, { id }), limit };
}

/** The same in one statement, of one moment: other gateways may change the debit between two. */
async function readAtOnce(db: Tx, id: string): Promise<StoredDebit | undefined> {
  const [found] = await allOf(db, { id });
  if (!found) return undefined;
  const { limit, entries, refunds, debit } = found;
  return { debit, entries: entries ?? [], refunds: refunds ?? [], limit: limit ?? undefined };
}

const allOf = prepared((db, arg: (name: 'id') => never) =>
  db
    .selectFrom('debits')
    .select(rowAsValue<DebitRow>('debits').as('debit'))
    .select(({ selectFrom }) => [
      selectFrom('ledger')
        .select(rowsAsValue<DebitEntry>('ledger', 'id', entryColumns).as('rows'))
        .whereRef('payment_id', '=', 'debits.id')
        .as('entries'),
      selectFrom('refunds')
        .select(rowsAsValue<RefundRow>('refunds', 'id').as('rows'))
        .whereRef('debit_id', '=', 'debits.id')
        .as('refunds'),
      selectFrom('refund_limits')
        .select(rowAsValue<RefundLimitRow>('refund_limits').as('row'))
        .whereRef('debit_id', '=', 'debits.id')
        .as('limit'),
    ])
    .where('id', '=', arg('id')),
);

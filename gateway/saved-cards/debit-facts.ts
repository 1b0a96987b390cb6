import { sql } from 'kysely';
import type { DebitEntry } from '../acquirer/debit-ledger.ts';
import { prepared } from '../store/prepared.ts';
import type { RefundLimitRow, RefundRow } from '../store/rows/refunds.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import type { Tx } from '../store/schema.ts';

/** All that is stored of a debit: what is decided about it is decided on this. Replaced, never changed. */
export interface DebitFacts {
  readonly debit: DebitRow;
  readonly entries: readonly DebitEntry[];
  /** The oldest first. */
  readonly refunds: readonly RefundRow[];
  readonly limit: RefundLimitRow | undefined;
}

const debitById = prepared((db, arg: (name: 'id') => never) =>
  db.selectFrom('debits').selectAll().where('id', '=', arg('id')),
);
const entriesOf = prepared((db, arg: (name: 'id') => never) =>
  db
    .selectFrom('ledger')
    .select(['kind', 'amount', 'psp_reference', 'refund_id'])
    .where('payment_id', '=', arg('id'))
    .orderBy('id'),
);
const refundsOf = prepared((db, arg: (name: 'id') => never) =>
  db.selectFrom('refunds').selectAll().where('debit_id', '=', arg('id')).orderBy('id'),
);
const limitOf = prepared((db, arg: (name: 'id') => never) =>
  db.selectFrom('refund_limits').selectAll().where('debit_id', '=', arg('id')),
);

export async function readFacts(db: Tx, id: string): Promise<DebitFacts | undefined> {
  const [debit] = await debitById(db, { id });
  if (!debit) return undefined;
  const [limit] = await limitOf(db, { id });
  return { debit, entries: await entriesOf(db, { id }), refunds: await refundsOf(db, { id }), limit };
}

/** The same in one statement, of one moment: other gateways may change the debit between two. Of PostgreSQL. */
export async function readAtOnce(db: Tx, id: string): Promise<DebitFacts | undefined> {
  const { rows } = await sql<Omit<DebitFacts, 'limit'> & { limit: RefundLimitRow | null }>`
    select to_json(debits) as debit,
      (select coalesce(json_agg(json_build_object('kind', kind, 'amount', amount,
          'psp_reference', psp_reference, 'refund_id', refund_id) order by id), '[]')
        from ledger where payment_id = debits.id) as entries,
      (select coalesce(json_agg(refunds order by id), '[]') from refunds where debit_id = debits.id) as refunds,
      (select to_json(refund_limits) from refund_limits where debit_id = debits.id) as "limit"
    from debits where id = ${id}`.execute(db);
  const [facts] = rows;
  return facts && { ...facts, limit: facts.limit ?? undefined };
}

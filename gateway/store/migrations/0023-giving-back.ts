import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { tablesOf } from './tables.ts';

/**
 * Money is given back at the terminal, too (B490): what is asked of a terminal has a kind, and of each payment is counted what was
 * given back. A gateway says whether it knows kinds: one of an older release would conclude a reversal as a payment.
 */
export const givingBack: Migration = {
  async up(db: Kysely<never>) {
    const { table, index } = tablesOf(db);
    await db.schema
      .alterTable('payments')
      .addColumn('kind', 'text', (column) => column.notNull().defaultTo('payment'))
      .execute();
    await db.schema.alterTable('payments').addColumn('original_id', 'text').execute();
    await db.schema.alterTable('gateways').addColumn('gives_back', 'integer').execute();
    await table('given_back', 'original_id', { amount: 'bigint' });
    await index('ledger_reference', 'ledger', ['psp_reference'])
      .where('refund_id' as never, 'is', null)
      .execute();
    await index('payments_original', 'payments', ['original_id'])
      .where('original_id' as never, 'is not', null)
      .execute();
  },
};

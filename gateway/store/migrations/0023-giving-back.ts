import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { makeTableBuilders } from './tables.ts';

/**
 * Lets terminals give money back (B490). Each request to a terminal gets a kind, and the amount that was given back is
 * stored for each payment. Each gateway also stores whether it knows these kinds, because a gateway of an older release
 * would treat a reversal as a payment.
 */
export const givingBack: Migration = {
  async up(db: Kysely<never>) {
    const { table, index } = makeTableBuilders(db);
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

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { makeTableBuilders } from './tables.ts';

/**
 * Adds the sale's reference to payments, so that the payments of a sale can be found (B235). Payments of an older
 * release have no reference in this column, and are found by their keys.
 */
export const saleReferences: Migration = {
  async up(db: Kysely<never>) {
    const { index } = makeTableBuilders(db);
    await db.schema.alterTable('payments').addColumn('sale_reference_id', 'text').execute();
    await index('payments_sale_reference', 'payments', ['account_id', 'sale_reference_id', 'id'])
      .where('sale_reference_id' as never, 'is not', null)
      .execute();
  },
};

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres, tableBuilders } from './tables.ts';

/**
 * Makes the tables of the gateways, of the terminals' owners, and of requests from one gateway about payments of
 * another gateway. A terminal's owner makes sure that the terminal has only one open payment. If another gateway
 * accepts a payment for the terminal, an index shows that gateway whether the terminal has an open payment.
 */
export const manyGateways: Migration = {
  async up(db: Kysely<never>) {
    const { table, index } = tableBuilders(db);
    await table('gateways', 'id', { name: 'text', seen_at: 'bigint', ended: 'integer' });
    await table('terminal_owners', 'terminal_id', {
      gateway_id: 'text',
      epoch: 'bigint',
      connected: 'integer',
    });
    for (const column of ['abort_asked_at', 'abort_acknowledged_at'])
      await db.schema.alterTable('open_payments').addColumn(column, 'bigint').execute();
    if (isPostgres(db))
      await index('open_payments_terminal', 'open_payments', ['terminal_id'])
        .unique()
        .where('terminal_deleted_at' as never, 'is', null)
        .execute();
  },
};

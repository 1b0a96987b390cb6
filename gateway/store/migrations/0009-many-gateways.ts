import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres, makeTableBuilders } from './tables.ts';

/**
 * Makes the tables of the gateways and of the terminals' owners. The owner of a terminal is the gateway that is
 * responsible for the terminal's payments. Adds the columns with which one gateway asks another to abort a payment. The
 * owner makes sure that a terminal has only one open payment. If another gateway tries to store a second open payment
 * for the terminal, an index makes the database refuse it.
 */
export const manyGateways: Migration = {
  async up(db: Kysely<never>) {
    const { table, index } = makeTableBuilders(db);
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

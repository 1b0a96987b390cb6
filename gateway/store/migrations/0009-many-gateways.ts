import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres, tablesOf } from './tables.ts';

/**
 * Keeps the gateways, the owner of each terminal, and what gateways ask of each other's payments. A terminal's owner sees to
 * it that the terminal has one open payment; an index tells a gateway that accepts one elsewhere.
 */
export const manyGateways: Migration = {
  async up(db: Kysely<never>) {
    const { table, index } = tablesOf(db);
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

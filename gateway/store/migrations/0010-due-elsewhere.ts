import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres, makeTableBuilders } from './tables.ts';

/**
 * Lets the gateways of a database share the work that is due. Adds a table of leases: only the gateway with the lease
 * for a kind of work does this work. Adds a table of notices, which tell the gateway with the lease for deliveries
 * which deliveries to look at. Adds version numbers to debits and credits.
 */
export const sharedDueWork: Migration = {
  async up(db: Kysely<never>) {
    const { table, index } = makeTableBuilders(db);
    await table('leases', 'name', { gateway_id: 'text', token: 'bigint', expires_at: 'bigint' });
    await table('delivery_notices', 'id', { delivery_id: 'text' });
    for (const changed of ['debits', 'credits'])
      await db.schema
        .alterTable(changed)
        .addColumn('version', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
    if (!isPostgres(db)) return;
    await index('debits_expiring', 'debits', ['expires_at'])
      .where('state' as never, '=', 'preauthorized')
      .execute();
    await index('refunds_coming', 'refunds', ['due_at'])
      .where('due_at' as never, 'is not', null)
      .execute();
    await index('credits_expiring', 'credits', ['expires_at'])
      .where('state' as never, '=', 'initiated')
      .execute();
    // The number of an event is no longer unique, because two gateways may give the same number to events of different
    // debits.
    await db.schema.dropIndex('events_seq').execute();
    await index('events_number', 'events', ['seq', 'id']).execute();
  },
};

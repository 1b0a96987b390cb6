import type { Kysely } from 'kysely';

/**
 * Creates the tables for everything that the terminals of a process must not forget. Each row belongs to one terminal.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('under_way')
    .addColumn('poi_id', 'text', (column) => column.primaryKey())
    .addColumn('service_id', 'text', (column) => column.notNull())
    .addColumn('sale', 'text', (column) => column.notNull())
    .addColumn('phase', 'text', (column) => column.notNull())
    .addColumn('payment_result', 'text')
    .execute();
  await db.schema
    .createTable('outcome')
    .addColumn('poi_id', 'text', (column) => column.notNull())
    .addColumn('service_id', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('transaction_id', 'text', (column) => column.notNull())
    .addColumn('response', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('outcome_key', ['poi_id', 'service_id'])
    .execute();
  await db.schema.createIndex('outcome_at').on('outcome').column('at').execute();
  await db.schema
    .createTable('undelivered')
    .addColumn('poi_id', 'text', (column) => column.notNull())
    .addColumn('service_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('undelivered_key', ['poi_id', 'service_id'])
    .execute();
  await db.schema
    .createTable('reversal')
    .addColumn('poi_id', 'text', (column) => column.notNull())
    .addColumn('transaction_id', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('reversal_key', ['poi_id', 'transaction_id'])
    .execute();
}

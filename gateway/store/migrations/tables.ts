import { type CreateTableBuilder, type Kysely, PostgresAdapter } from 'kysely';

/**
 * The type of a column, the same in SQLite and PostgreSQL. If the type ends with a question mark, the column may be
 * null.
 */
type Column = 'text' | 'integer' | 'bigint' | 'text?' | 'integer?' | 'bigint?';

/** Gives the functions that migrations use to make tables and indices. Every table has a text column as its key. */
export function makeTableBuilders(db: Kysely<never>) {
  const table = async (name: string, key: string, columns: Record<string, Column>) => {
    let builder: CreateTableBuilder<string, string> = db.schema.createTable(name);
    builder = builder.addColumn(key, 'text', (column) => column.primaryKey().notNull());
    for (const [column, type] of Object.entries(columns)) {
      builder = type.endsWith('?')
        ? builder.addColumn(column, type.slice(0, -1) as 'text')
        : builder.addColumn(column, type as 'text', (definition) => definition.notNull());
    }
    await builder.execute();
  };
  const index = (name: string, on: string, columns: string[]) =>
    db.schema.createIndex(name).on(on).columns(columns);
  return { table, index };
}

/** Returns whether the database is PostgreSQL, which several gateways may share. */
export function isPostgres(db: Kysely<never>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

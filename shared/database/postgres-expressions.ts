import { type RawBuilder, sql } from 'kysely';

/** What PostgreSQL can say in a query and SQLite cannot, for tables that several gateways share. */

/** Any of these identifiers: one statement and one value however many they are. `where('id', '=', anyOf(ids))` */
export function anyOf(ids: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${ids})`;
}

/** Rows of the table as one value, in the order of a column; these of their columns. */
export function rowsAsJson<Row>(
  table: string,
  orderBy: string,
  columns: readonly (keyof Row & string)[],
): RawBuilder<readonly Row[]> {
  const pairs = columns.flatMap((column) => [sql.lit(column), sql.ref(`${table}.${column}`)]);
  const rows = sql`json_agg(json_build_object(${sql.join(pairs)}) order by ${sql.ref(`${table}.${orderBy}`)})`;
  return sql<readonly Row[]>`coalesce(${rows}, '[]')`;
}

import { type RawBuilder, sql } from 'kysely';

/** What PostgreSQL can say in a query and SQLite cannot, for tables that several gateways share. */

/** Any of these identifiers: one statement and one value however many they are. `where('id', '=', anyOf(ids))` */
export function anyOf(ids: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${ids})`;
}

/** A row of the table as one value. */
export function rowAsValue<Row>(table: string): RawBuilder<Row> {
  return sql<Row>`to_json(${sql.ref(table)})`;
}

/** Rows of the table as one value, in the order of a column; all of their columns, or these. */
export function rowsAsValue<Row>(
  table: string,
  orderBy: string,
  columns?: readonly (keyof Row & string)[],
): RawBuilder<readonly Row[]> {
  const row = columns ? picked(columns) : sql.ref(table);
  return sql<readonly Row[]>`coalesce(json_agg(${row} order by ${sql.ref(orderBy)}), '[]')`;
}

function picked(columns: readonly string[]): RawBuilder<unknown> {
  const pairs = columns.flatMap((column) => [sql.lit(column), sql.ref(column)]);
  return sql`json_build_object(${sql.join(pairs)})`;
}

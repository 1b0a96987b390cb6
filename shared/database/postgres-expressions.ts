import { type RawBuilder, sql } from 'kysely';

/** SQL expressions that only PostgreSQL has, for tables that several gateways share. */

/**
 * Matches any of these identifiers: `where('id', '=', anyOf(ids))`. The text of the statement is the same for any
 * number of identifiers, because all identifiers together are one parameter.
 */
export function anyOf(ids: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${ids})`;
}

/** Selects these columns of a table's rows as one value. The rows are sorted by the column `orderBy`. */
export function selectRowsAsJson<Row>(
  table: string,
  orderBy: string,
  columns: readonly (keyof Row & string)[],
): RawBuilder<readonly Row[]> {
  const pairs = columns.flatMap((column) => [sql.lit(column), sql.ref(`${table}.${column}`)]);
  const rows = sql`json_agg(json_build_object(${sql.join(pairs)}) order by ${sql.ref(`${table}.${orderBy}`)})`;
  return sql<readonly Row[]>`coalesce(${rows}, '[]')`;
}

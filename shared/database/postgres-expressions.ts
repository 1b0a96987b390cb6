import { type RawBuilder, sql } from 'kysely';

/** Expressions that PostgreSQL has and SQLite lacks, for tables that several gateways share. */

/**
 * Matches any of these identifiers. However many there are, the text of the statement is the same, and has one value:
 * `where('id', '=', anyOf(ids))`
 */
export function anyOf(ids: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${ids})`;
}

/** Makes rows of a table one value, with these columns, sorted by one column. */
export function rowsAsJson<Row>(
  table: string,
  orderBy: string,
  columns: readonly (keyof Row & string)[],
): RawBuilder<readonly Row[]> {
  const pairs = columns.flatMap((column) => [sql.lit(column), sql.ref(`${table}.${column}`)]);
  const rows = sql`json_agg(json_build_object(${sql.join(pairs)}) order by ${sql.ref(`${table}.${orderBy}`)})`;
  return sql<readonly Row[]>`coalesce(${rows}, '[]')`;
}

import { type RawBuilder, sql } from 'kysely';

/** Selects rows of a table as one JSON text, with these columns, sorted by one of them. */
export function rowsAsText<Row>(
  table: string,
  orderBy: string,
  columns: readonly (keyof Row & string)[],
): RawBuilder<string> {
  const pairs = columns.flatMap((column) => [sql.lit(column), sql.ref(`${table}.${column}`)]);
  return sql<string>`json_group_array(json_object(${sql.join(pairs)}) order by ${sql.ref(`${table}.${orderBy}`)})`;
}

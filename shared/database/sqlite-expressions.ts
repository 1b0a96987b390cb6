import { type RawBuilder, sql } from 'kysely';

/** Selects these columns of a table's rows as one JSON text. The rows are sorted by the column `orderBy`. */
export function selectRowsAsJsonText<Row>(
  table: string,
  orderBy: string,
  columns: readonly (keyof Row & string)[],
): RawBuilder<string> {
  const pairs = columns.flatMap((column) => [sql.lit(column), sql.ref(`${table}.${column}`)]);
  return sql<string>`json_group_array(json_object(${sql.join(pairs)}) order by ${sql.ref(`${table}.${orderBy}`)})`;
}

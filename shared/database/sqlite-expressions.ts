import { type RawBuilder, sql } from 'kysely';

/** Rows of the table as one text of JSON, in the order of a column; these of their columns. */
export function rowsAsText<Row>(
  table: string,
  orderBy: string,
  columns: readonly (keyof Row & string)[],
): RawBuilder<string> {
  const pairs = columns.flatMap((column) => [sql.lit(column), sql.ref(`${table}.${column}`)]);
  return sql<string>`json_group_array(json_object(${sql.join(pairs)}) order by ${sql.ref(`${table}.${orderBy}`)})`;
}

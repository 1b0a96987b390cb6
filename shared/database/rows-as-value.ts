import { type Kysely, PostgresAdapter, type RawBuilder } from 'kysely';
import { rowsAsJson } from './postgres-expressions.ts';
import { rowsAsText } from './sqlite-expressions.ts';

/** Rows as one value of another row, as the database gives them; {@link rowsOf} reads it. */
type RowsValue<Row> = string | readonly Row[];

/** Rows of a table as one value, in the order of a column, in a query of `db`: these of their columns. */
export function rowsAsValue<Row>(
  // biome-ignore lint/suspicious/noExplicitAny: whatever its tables
  db: Kysely<any>,
  table: string,
  orderBy: string,
  columns: readonly (keyof Row & string)[],
): RawBuilder<RowsValue<Row>> {
  const rows = db.getExecutor().adapter instanceof PostgresAdapter ? rowsAsJson : rowsAsText;
  return rows<Row>(table, orderBy, columns) as RawBuilder<RowsValue<Row>>;
}

/** SQLite has no values of JSON: it gives their text. */
export function rowsOf<Row>(value: RowsValue<Row>): readonly Row[] {
  return typeof value === 'string' ? JSON.parse(value) : value;
}

import { type Kysely, PostgresAdapter, type RawBuilder } from 'kysely';
import { rowsAsJson } from './postgres-expressions.ts';
import { rowsAsText } from './sqlite-expressions.ts';

/** Several rows as one value, in the form in which the database gives it. {@link rowsOf} reads this form. */
type RowsValue<Row> = string | readonly Row[];

/** In a query of `db`, selects these columns of a table's rows as one value, sorted by one of the columns. */
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

/** Reads rows from one value. SQLite has no JSON values, so it gives their text. */
export function rowsOf<Row>(value: RowsValue<Row>): readonly Row[] {
  return typeof value === 'string' ? JSON.parse(value) : value;
}

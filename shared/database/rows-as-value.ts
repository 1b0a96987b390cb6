import { type Kysely, PostgresAdapter, type RawBuilder } from 'kysely';
import { selectRowsAsJson } from './postgres-expressions.ts';
import { selectRowsAsJsonText } from './sqlite-expressions.ts';

/** Several rows as one value: a JSON text in SQLite, a list in PostgreSQL. {@link parseRowsValue} reads both. */
type RowsValue<Row> = string | readonly Row[];

/**
 * In a query of `db`, selects these columns of a table's rows as one value. The rows are sorted by the column
 * `orderBy`.
 */
export function selectRowsAsValue<Row>(
  // biome-ignore lint/suspicious/noExplicitAny: whatever its tables
  db: Kysely<any>,
  table: string,
  orderBy: string,
  columns: readonly (keyof Row & string)[],
): RawBuilder<RowsValue<Row>> {
  const rows = db.getExecutor().adapter instanceof PostgresAdapter ? selectRowsAsJson : selectRowsAsJsonText;
  return rows<Row>(table, orderBy, columns) as RawBuilder<RowsValue<Row>>;
}

/** Reads rows from one value. SQLite has no JSON values, so it gives JSON text. */
export function parseRowsValue<Row>(value: RowsValue<Row>): readonly Row[] {
  return typeof value === 'string' ? JSON.parse(value) : value;
}

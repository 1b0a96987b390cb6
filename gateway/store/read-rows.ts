import type { SelectQueryBuilder, StringReference } from 'kysely';
import type { Schema, Tx } from './schema.ts';

/** The most rows that are read of those due before a moment: there may be a day's. */
const mostComing = 500;

type TableWithId = { [T in keyof Schema]: Schema[T] extends { id: string } ? T : never }[keyof Schema];

/** The row of that identifier. */
export function rowById<T extends TableWithId>(tx: Tx, table: T, id: string): Promise<Schema[T] | undefined> {
  const query = tx
    .selectFrom(table as 'events')
    .selectAll()
    .where('id', '=', id);
  return query.executeTakeFirst() as Promise<Schema[T] | undefined>;
}

/** The part of a list that is asked for. */
export interface Pagination {
  limit: number;
  /** The last row of the former page. */
  before?: string;
}

/** Rows by their identifiers, which are of the time: the latest first, and only those `before` another. */
export function latestFirst<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  id: StringReference<DB, TB>,
  { limit, before }: Pagination,
): SelectQueryBuilder<DB, TB, Row> {
  const ordered = query.orderBy(id, 'desc').limit(limit);
  return before === undefined ? ordered : ordered.where(id, '<', before as never);
}

/** Only rows that have these values. A column whose value is undefined may have any value. */
export function having<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  values: { readonly [Column in StringReference<DB, TB>]?: string | undefined },
): SelectQueryBuilder<DB, TB, Row> {
  return Object.entries(values).reduce(
    (found, [column, value]) =>
      value === undefined ? found : found.where(column as StringReference<DB, TB>, '=', value as never),
    query,
  );
}

/** Rows whose moment comes by itself, before the moment `before`, the earliest first; without `before`, all of them. */
export function coming<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  moment: StringReference<DB, TB>,
  before: number | undefined,
): Promise<Row[]> {
  if (before === undefined) return query.orderBy('id' as StringReference<DB, TB>).execute() as Promise<Row[]>;
  const soon = query
    .where(moment, '<=', before as never)
    .orderBy(moment)
    .limit(mostComing);
  return soon.execute() as Promise<Row[]>;
}

import type { SelectQueryBuilder, StringReference } from 'kysely';
import type { GatewayTables, Tx } from './schema.ts';

/** The maximum number of due rows that are read at once. Without a maximum, all rows of a day could be read at once. */
const mostComing = 500;

type TableWithId = {
  [T in keyof GatewayTables]: GatewayTables[T] extends { id: string } ? T : never;
}[keyof GatewayTables];

/** Reads the row with this identifier. */
export function readRowById<T extends TableWithId>(
  tx: Tx,
  table: T,
  id: string,
): Promise<GatewayTables[T] | undefined> {
  const query = tx
    .selectFrom(table as 'events')
    .selectAll()
    .where('id', '=', id);
  return query.executeTakeFirst() as Promise<GatewayTables[T] | undefined>;
}

/** The part of a list that a request asks for. */
export interface Pagination {
  limit: number;
  /** The identifier of the last row on the previous page. */
  before?: string;
}

/**
 * Selects a page of rows, the latest first. The identifiers give the order, because they begin with the time. With
 * `before`, only rows with an earlier identifier are selected.
 */
export function selectPageLatestFirst<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  id: StringReference<DB, TB>,
  { limit, before }: Pagination,
): SelectQueryBuilder<DB, TB, Row> {
  const ordered = query.orderBy(id, 'desc').limit(limit);
  return before === undefined ? ordered : ordered.where(id, '<', before as never);
}

/** Selects only rows with these values. If a value is undefined, the column may have any value. */
export function whereEqualIfGiven<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  values: { readonly [Column in StringReference<DB, TB>]?: string | undefined },
): SelectQueryBuilder<DB, TB, Row> {
  return Object.entries(values).reduce(
    (found, [column, value]) =>
      value === undefined ? found : found.where(column as StringReference<DB, TB>, '=', value as never),
    query,
  );
}

/**
 * Reads at most 500 rows that are due at the time `before` or earlier, the earliest first. Without `before`, reads all
 * rows of the query, in the order of their ids.
 */
export function readDueRows<DB, TB extends keyof DB, Row>(
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

import { preparedFor } from '../../shared/database/prepared.ts';
import type { Schema, Tx } from './schema.ts';

/** A query on the gateway's store that every payment needs; see {@link preparedFor}. */
export const prepared = preparedFor<Schema>();

type Insert = (tx: Tx, row: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** A prepared insert into a table, once for each set of columns that rows come with. */
export function preparedInsert<Table extends keyof Schema>(
  table: Table,
): (tx: Tx, row: Schema[Table]) => Promise<void> {
  const inserts = new Map<string, Insert>();
  return async (tx, row) => {
    const columns = Object.keys(row);
    const key = columns.join();
    let insert = inserts.get(key);
    if (!insert) {
      insert = prepared((db, arg: (name: string) => unknown) =>
        db
          .insertInto(table as 'payments')
          .values(Object.fromEntries(columns.map((column) => [column, arg(column)])) as never),
      );
      inserts.set(key, insert);
    }
    await insert(tx, row as unknown as Record<string, unknown>);
  };
}

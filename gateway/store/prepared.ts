import { CompiledQuery } from 'kysely';
import type { Schema, Tx } from './schema.ts';

interface Compilable<Row> {
  compile(): CompiledQuery<Row>;
}

/** Stands where an argument goes until the query runs. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

interface Compiled {
  sql: string;
  /** The argument for each parameter, or a value that is always the same. */
  parameters: readonly unknown[];
}

/**
 * A query that every payment needs: built and compiled once for each kind of database, since building it costs
 * Kysely more than running it costs SQLite.
 *
 * @example
 * const nameOf = prepared((db, arg: (name: 'id') => string) =>
 *   db.selectFrom('stores').select('name').where('id', '=', arg('id')),
 * );
 * const [store] = await nameOf(tx, { id });
 */
export function prepared<Name extends string, Value, Row>(
  build: (db: Tx, arg: (name: Name) => Value) => Compilable<Row>,
): (tx: Tx, values: Readonly<Record<Name, unknown>>) => Promise<Row[]> {
  const compiledFor = new WeakMap<object, Compiled>();
  const compile = (tx: Tx): Compiled => {
    const kind = tx.getExecutor().adapter.constructor;
    const former = compiledFor.get(kind);
    if (former) return former;
    const compiled = build(tx, (name) => new Placeholder(name) as Value).compile();
    compiledFor.set(kind, compiled);
    return compiled;
  };
  return async (tx, values) => {
    const { sql, parameters } = compile(tx);
    const filled = parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name as Name] : parameter,
    );
    return (await tx.executeQuery<Row>(CompiledQuery.raw(sql, filled))).rows;
  };
}

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

import { CompiledQuery, type Kysely } from 'kysely';

export interface Compilable<Row> {
  compile(): CompiledQuery<Row>;
}

/** The placeholder for an argument in a compiled query. The argument replaces it when the query runs. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

interface Compiled {
  sql: string;
  /** The value of each parameter: a {@link Placeholder}, or a value that is the same in every run. */
  parameters: readonly unknown[];
}

/**
 * Makes queries on `Schema` that every payment needs. Each query is built and compiled only once for each kind of
 * database, because Kysely needs more time to build a query than SQLite needs to run it.
 *
 * @example
 * const prepared = createQueryPreparer<Schema>();
 * const nameOf = prepared((db, arg: (name: 'id') => string) =>
 *   db.selectFrom('stores').select('name').where('id', '=', arg('id')),
 * );
 * const [store] = await nameOf(db, { id });
 *
 */
export function createQueryPreparer<Schema>() {
  return function prepared<Name extends string, Value, Row>(
    build: (db: Kysely<Schema>, arg: (name: Name) => Value) => Compilable<Row>,
  ): (db: Kysely<Schema>, values: Readonly<Record<Name, unknown>>) => Promise<Row[]> {
    const compiledFor = new WeakMap<object, Compiled>();
    const compile = (db: Kysely<Schema>): Compiled => {
      const kind = db.getExecutor().adapter.constructor;
      const former = compiledFor.get(kind);
      if (former) return former;
      const compiled = build(db, (name) => new Placeholder(name) as Value).compile();
      compiledFor.set(kind, compiled);
      return compiled;
    };
    return async (db, values) => {
      const { sql, parameters } = compile(db);
      const filled = parameters.map((parameter) =>
        parameter instanceof Placeholder ? values[parameter.name as Name] : parameter,
      );
      return (await db.executeQuery<Row>(CompiledQuery.raw(sql, filled))).rows;
    };
  };
}

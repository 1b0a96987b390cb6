import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import { memoize } from '../memoize.ts';

type Where<Row> = Partial<Selectable<Row>>;

/**
 * One change to the database. A change is plain data, so that a test can read the change and another thread can receive
 * it. `where` maps columns to values, and null counts as a value.
 *
 * By default, or with `rows: 'one'`, the change is refused unless it changes exactly one row. For example, the change
 * is refused if another change has deleted the row, or has given the row a version other than the one in `where`.
 *
 * A `hold` changes nothing. A `hold` is refused unless exactly one row meets `where`. The `hold` keeps other
 * transactions from changing that row until the batch that contains the `hold` is on disk.
 *
 * An `add` adds to a number in the row that `where` describes, and creates the row if it is missing. The `add` is
 * refused if the sum would be above `atMost`.
 */
export type DatabaseChange<Schema> = {
  [Table in keyof Schema & string]:
    | { insert: Table; row: Insertable<Schema[Table]> }
    | {
        update: Table;
        where: Where<Schema[Table]>;
        set: Updateable<Schema[Table]>;
        rows?: 'one' | 'any';
      }
    | { delete: Table; where: Where<Schema[Table]>; rows?: 'one' | 'any' }
    | { hold: Table; where: Where<Schema[Table]> }
    | {
        add: Table;
        where: Where<Schema[Table]>;
        to: keyof Schema[Table] & string;
        by: number;
        atMost: number;
      };
}[keyof Schema & string];

/**
 * How a batch of changes ended. Either all of it is on disk, or none of it. A batch may be refused because of a rule of
 * the schema ('constraint'), because a row has changed meanwhile ('version'), or because of the machine, for example if
 * the disk is full ('storage'). After 'storage', the same batch may succeed later.
 */
export type CommitResult =
  | { is: 'applied' }
  | { is: 'refused'; because: 'constraint' | 'version' | 'storage'; error: Error };

/** The value of a column, in the form that the database drivers take. */
type Value = string | number | bigint | null | Uint8Array;

/**
 * A change as SQL. If `one` is true, the statement has to change exactly one row; for a `hold`, it has to find exactly
 * one row.
 */
export interface SqlStep {
  readonly statement: { readonly sql: string; readonly one: boolean; readonly does: Does };
  readonly values: readonly Value[];
}

type Does = 'insert' | 'update' | 'delete' | 'hold' | 'add';

type Columns = Readonly<Record<string, unknown>>;

/** A change whose table and columns the compiler has already checked. */
type AnyChange =
  | { insert: string; row: Columns }
  | { update: string; where: Columns; set: Columns; rows?: 'one' | 'any' }
  | { delete: string; where: Columns; rows?: 'one' | 'any' }
  | { hold: string; where: Columns }
  | { add: string; where: Columns; to: string; by: number; atMost: number };

type AnySchema = Record<string, Record<string, unknown>>;

/** A compiled statement. It is used again for later changes of the same table with the same columns and conditions. */
interface KnownStatement {
  readonly columns: readonly string[];
  readonly conditions: readonly string[];
  /** For each condition, whether the condition compares with null. */
  readonly nulls: readonly boolean[];
  readonly statement: SqlStep['statement'];
}

const none: Columns = {};

/**
 * The statements of this process, by kind of database and then by table. A test suite opens hundreds of databases with
 * the same tables. All these databases share the statements. The statements depend on no schema. Their number is
 * limited, because the code has a limited number of kinds of changes.
 */
const knownStatementsFor = memoize((_kind: object) => new Map<string, KnownStatement[]>());

/**
 * Turns changes into SQL. Each statement is compiled only once for a table and a set of columns, because compiling a
 * statement costs more than running it.
 */
export class ChangeCompiler<Schema> {
  #db: Kysely<AnySchema>;
  #known: Map<string, KnownStatement[]>;

  constructor(db: Kysely<Schema>) {
    this.#db = db as unknown as Kysely<AnySchema>;
    this.#known = knownStatementsFor(db.getExecutor().adapter.constructor);
  }

  /**
   * @throws TypeError if a value is undefined or a change names no columns. Such a change would affect the wrong rows
   */
  steps(batch: readonly DatabaseChange<Schema>[]): SqlStep[] {
    return batch.map((change) => this.#step(change as unknown as AnyChange));
  }

  #step(change: AnyChange): SqlStep {
    if ('insert' in change) {
      const { insert: table, row } = change;
      const values = valuesOf(table, row);
      return { statement: this.#statement('insert', table, row, none, false), values };
    }
    const { where } = change;
    if ('add' in change) {
      const { add: table, to, by, atMost } = change;
      const values = [...valuesOf(table, { ...where, [to]: by }), atMost];
      return { statement: this.#statement('add', table, { [to]: by }, where, true), values };
    }
    if ('hold' in change) {
      const { hold: table } = change;
      const values = valuesOf(table, where).filter(isNotNull);
      return { statement: this.#statement('hold', table, none, where, true), values };
    }
    const one = change.rows !== 'any';
    if ('delete' in change) {
      const { delete: table } = change;
      const values = valuesOf(table, where).filter(isNotNull);
      return { statement: this.#statement('delete', table, none, where, one), values };
    }
    const { update: table, set } = change;
    const values = [...valuesOf(table, set), ...valuesOf(table, where).filter(isNotNull)];
    return { statement: this.#statement('update', table, set, where, one), values };
  }

  #statement(does: Does, table: string, row: Columns, where: Columns, one: boolean): SqlStep['statement'] {
    const columns = Object.keys(row);
    const conditions = Object.keys(where);
    const known = this.#known.get(table) ?? [];
    for (const each of known)
      if (
        each.statement.does === does &&
        each.statement.one === one &&
        haveSameNames(each.columns, columns) &&
        haveSameNames(each.conditions, conditions) &&
        conditions.every((column, at) => each.nulls[at] === (where[column] === null))
      )
        return each.statement;
    const statement = { sql: this.#sql(does, table, columns, where), one, does };
    const nulls = conditions.map((column) => where[column] === null);
    this.#known.set(table, [...known, { columns, conditions, nulls, statement }]);
    return statement;
  }

  #sql(does: Does, table: string, columns: readonly string[], where: Columns): string {
    if (does === 'insert') return this.#db.insertInto(table).values(placeholders(columns)).compile().sql;
    if (does === 'hold')
      return withConditions(this.#db.selectFrom(table).select(Object.keys(where)), where).compile().sql;
    if (does === 'add') return this.#sumSql(table, columns[0] as string, Object.keys(where));
    if (does === 'delete') return withConditions(this.#db.deleteFrom(table), where).compile().sql;
    return withConditions(this.#db.updateTable(table).set(placeholders(columns)), where).compile().sql;
  }

  /**
   * Writes the SQL of an `add`. The 0 after `<=` is a placeholder for `atMost`. The caller has already compared
   * `atMost` with the sum that the caller knows. The SQL compares them again, because other transactions may have added
   * amounts meanwhile.
   */
  #sumSql(table: string, column: string, key: readonly string[]): string {
    const sum = sql<number>`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`;
    return this.#db
      .insertInto(table)
      .values(placeholders([...key, column]))
      .onConflict((conflict) =>
        conflict
          .columns([...key])
          .doUpdateSet({ [column]: sum })
          .where(sum, '<=', 0),
      )
      .compile().sql;
  }
}

function haveSameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}

/** A query to which conditions can be added. */
interface Conditional {
  where(column: string, operator: '=' | 'is', value: unknown): this;
}

/**
 * Adds the conditions to a query. In the query, the number 0 stands for the value of each condition, as in
 * {@link placeholders}. A condition on null needs no such placeholder.
 */
function withConditions<Query extends Conditional>(query: Query, where: Columns): Query {
  let conditioned = query;
  for (const [column, value] of Object.entries(where))
    conditioned = value === null ? conditioned.where(column, 'is', null) : conditioned.where(column, '=', 0);
  return conditioned;
}

/**
 * Returns a row with the number 0 in each column. For each of these numbers, Kysely writes a parameter into the SQL.
 */
function placeholders(columns: readonly string[]): Record<string, number> {
  return Object.fromEntries(columns.map((column) => [column, 0]));
}

function valuesOf(table: string, columns: Columns): Value[] {
  const values = Object.values(columns);
  if (values.length === 0) throw new TypeError(`a change of ${table} names no columns`);
  const missing = values.indexOf(undefined);
  if (missing >= 0) throw new TypeError(`${table}.${Object.keys(columns)[missing]} is undefined`);
  return values as Value[];
}

function isNotNull(value: Value): boolean {
  return value !== null;
}

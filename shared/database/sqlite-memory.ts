import { connectSqlite, type SqliteConnection } from './sqlite-connection.ts';

/** So many are kept of each image: as many as scenarios run at a time need, with the gateway's and the terminals' memory. */
const mostSpare = 4;
/** One that grew is not kept: 4 MB. */
const mostPages = 1_000;

/** Databases in memory that were closed, empty again, by what they began as. */
const spares = new WeakMap<Buffer, Spare[]>();

interface Spare {
  readonly connection: SqliteConnection;
  readonly schemaVersion: unknown;
  readonly emptying: readonly string[];
}

/**
 * A database in memory with the tables of an image, which has no rows but about its migrations. One that was closed is used
 * again where it can be emptied: its statements are prepared, and a test suite opens hundreds.
 */
export function memoryOf(image: Buffer): SqliteConnection {
  const spare = spares.get(image)?.pop() ?? made(image);
  let isClosed = false;
  const open = () => {
    if (isClosed) throw new TypeError('The database connection is not open');
    return spare.connection;
  };
  return {
    get inTransaction() {
      return open().inTransaction;
    },
    prepare: (sql) => open().prepare(sql),
    image: () => open().image(),
    close() {
      if (isClosed) return;
      isClosed = true;
      const others = spares.get(image) ?? [];
      spares.set(image, others);
      if (others.length < mostSpare && isEmptied(spare)) others.push(spare);
      else spare.connection.close();
    },
  };
}

function made(image: Buffer): Spare {
  const connection = connectSqlite(image, 'FULL');
  const tables = connection
    .prepare(
      "select name from sqlite_schema where type = 'table' and name not like 'kysely_%' and name <> 'sqlite_stat1'",
    )
    .all() as { name: string }[];
  return {
    connection,
    schemaVersion: pragma(connection, 'schema_version'),
    emptying: tables.map(({ name }) => `delete from "${name}"`),
  };
}

/** False where it has other tables than it began with, is in use, or is large. */
function isEmptied({ connection, schemaVersion, emptying }: Spare): boolean {
  if (connection.inTransaction || pragma(connection, 'schema_version') !== schemaVersion) return false;
  if (Number(pragma(connection, 'page_count')) > mostPages) return false;
  try {
    connection.prepare('pragma foreign_keys = off').run();
    connection.prepare('begin').run();
    for (const statement of emptying) connection.prepare(statement).run();
    connection.prepare('commit').run();
    connection.prepare('pragma foreign_keys = on').run();
    return true;
  } catch {
    return false; // a query is still read
  }
}

function pragma(connection: SqliteConnection, name: 'schema_version' | 'page_count'): unknown {
  return (connection.prepare(`pragma ${name}`).get() as Record<string, unknown>)[name];
}

import {
  type DataTypeNode,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresDialect,
  PostgresQueryCompiler,
  replaceWithNoncontingentExpression,
  sql,
} from 'kysely';
import { type Clock, delay } from '../clock.ts';
import { type DatabaseEngine, UnknownCommitOutcomeError } from './engine.ts';
import { PostgresBatchRunner } from './postgres-batches.ts';
import { createConnectionPool } from './postgres-connection.ts';
import { isPostgresServerError, isTransactionConflict, NoConnectionError } from './postgres-errors.ts';
import { PostgresWriterSession } from './postgres-session.ts';
import { replaceNullCharacters } from './postgres-text.ts';
import { isStorageFault } from './storage-fault.ts';
import { runInTransaction } from './transaction.ts';

class Compiler extends PostgresQueryCompiler {
  /**
   * Makes the database compare texts by their bytes, like SQLite, and not by the rules of a language. So identifiers
   * are sorted by the time when they were made.
   */
  protected override visitDataType(node: DataTypeNode): void {
    super.visitDataType(node);
    if (node.dataType === 'text') this.append(' collate "C"');
  }

  protected override addParameter(parameter: unknown): void {
    super.addParameter(replaceNullCharacters(parameter));
  }
}

class Dialect extends PostgresDialect {
  override createQueryCompiler(): PostgresQueryCompiler {
    return new Compiler();
  }
}

/** Replaces conditions on an empty list, which no row meets. SQLite accepts an empty list, PostgreSQL does not. */
const emptyLists = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression });

interface PostgresOptions {
  /** The machine's clock, for the pauses while a server is gone. */
  clock: Clock;
}

const lookAgainAfterMs = 300;

/**
 * Opens a PostgreSQL database by its URL. Batches have their own connection; reads and units of work use a pool of
 * connections (docs/decisions/0022).
 *
 * @throws the error that explains why the database cannot be reached
 */
export async function openPostgres<Schema>(
  url: string,
  options: PostgresOptions,
): Promise<DatabaseEngine<Schema>> {
  const pause = () => delay(options.clock, lookAgainAfterMs);
  const batches = new PostgresBatchRunner({ connect: () => PostgresWriterSession.open(url), pause });
  await batches.open();
  const db = new Kysely<Schema>({
    dialect: new Dialect({ pool: createConnectionPool(url) }),
    plugins: [emptyLists],
  });
  return {
    db,
    apply: (asked) => batches.apply(asked),
    transaction: async (work) => transaction(db, await batches.writer(), work, pause),
    isShared: true,
    overtaken: isTransactionConflict,
    lost: () => batches.lost,
    foreign: foreignTable,
    closing: () => batches.closing(),
    async close() {
      await batches.close();
      await db.destroy();
    },
  };
}

/** Gives the name of the first table that was made neither for writing sessions nor by the migrator. */
async function foreignTable<Schema>(db: Kysely<Schema>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_name <> 'pinpad_writers' and table_name not like 'kysely%'
    order by 1 limit 1`.execute(db);
  return rows[0]?.name;
}

/**
 * Runs work in a transaction on any connection, but fails if the writing session has ended. If the answer to the commit
 * is lost, the server is asked how the transaction ended. The question contains the number that the server gave to the
 * transaction.
 */
async function transaction<Schema, Result>(
  db: Kysely<Schema>,
  writer: PostgresWriterSession,
  work: (connection: Kysely<Schema>) => Promise<Result>,
  pause: () => Promise<void>,
): Promise<Result> {
  let number: string | null | undefined;
  return runInTransaction(
    db,
    async (connection) => {
      await holdWriter(connection, writer);
      const result = await work(connection);
      number = await transactionNumber(connection);
      return result;
    },
    async (error) => {
      if (isPostgresServerError(error) && !isStorageFault(error)) throw error;
      if (number && !(await wasCommitted(db, number, pause))) throw error;
    },
  );
}

async function holdWriter<Schema>(connection: Kysely<Schema>, writer: PostgresWriterSession): Promise<void> {
  const { rows } = await sql`
    select id from pinpad_writers where id = ${writer.id} and not ended for share`.execute(connection);
  if (rows.length === 1) return;
  writer.drop();
  throw new NoConnectionError('its session was ended');
}

async function transactionNumber<Schema>(connection: Kysely<Schema>): Promise<string | null | undefined> {
  const { rows } = await sql<{ number: string | null }>`
    select pg_current_xact_id_if_assigned()::text as number`.execute(connection);
  return rows[0]?.number;
}

/** For at most half a minute, tries to find out whether a transaction was committed. */
async function wasCommitted<Schema>(
  db: Kysely<Schema>,
  number: string,
  pause: () => Promise<void>,
): Promise<boolean> {
  let latest: unknown = new Error('the server does not say whether a transaction was committed');
  for (let tries = 0; tries < 100; tries++) {
    try {
      const { rows } = await sql<{ status: string }>`
        select pg_xact_status(${number}::xid8) as status`.execute(db);
      const status = rows[0]?.status;
      if (status === 'committed' || status === 'aborted') return status === 'committed';
    } catch (error) {
      latest = error;
    }
    await pause();
  }
  throw new UnknownCommitOutcomeError(latest);
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createRuntime } from '../shared/create-runtime.ts';
import { StartError } from '../shared/start-error.ts';
import { type BooksComparison, compareBooks } from './acquirer/books.ts';
import { keepGatewaysOut } from './cluster/keep-gateways-out.ts';
import { copyRows, countRows, type RowCounts, readTablesToCopy } from './store/copy-rows.ts';
import { openConfiguredStore } from './store/open-data.ts';
import type { GatewayTables, Tx } from './store/schema.ts';
import type { GatewayStore } from './store/store.ts';

export interface FolderCopyOptions {
  dataFolder: string;
  /** The URL of an empty PostgreSQL database. */
  database: string;
  /**
   * The folder's tokens and keys in plain text, each under its name. All gateways of the database will share these
   * secrets.
   */
  secrets?: Readonly<Record<string, string>>;
  /** Called with a table, the number of its rows that are copied so far, and the number of all its rows. */
  progress?: (table: string, rows: number, of: number) => void;
}

/** A summary of the data that is now in the database. */
export interface FolderCopySummary {
  rows: RowCounts;
  books: BooksComparison;
}

/**
 * Copies the data of a folder into a PostgreSQL database. The copy contains all data of the folder. If anything fails,
 * nothing is copied. Before the commit the copy is compared with the original. The folder does not change.
 *
 * @throws StartError if there is nothing to copy, if the folder or the database is in use, or if the database is not
 *   empty. The message has one line, without the secrets in the database's URL
 */
export async function copyFolderToPostgres({
  dataFolder,
  database,
  secrets = {},
  progress = () => {},
}: FolderCopyOptions): Promise<FolderCopySummary> {
  if (!existsSync(join(dataFolder, 'pinpad.sqlite')))
    throw new StartError(`there is no data in ${dataFolder}: it has no file pinpad.sqlite`);
  const runtime = createRuntime();
  const source = await openConfiguredStore({ dataFolder, toMove: true }, runtime);
  try {
    const target = await openConfiguredStore({ database }, runtime);
    try {
      return await target.write(async (db) => {
        const moved = await copied(source, db, progress);
        return { ...moved, rows: { ...moved.rows, shared_secrets: await keepSecrets(db, secrets) } };
      });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copied(
  source: GatewayStore,
  target: Tx,
  progress: NonNullable<FolderCopyOptions['progress']>,
): Promise<FolderCopySummary> {
  const tables = await readTablesToCopy(source);
  await keepGatewaysOut(target);
  await refuseFilled(target, tables);
  const rows = await source.read((db) => countRows(db, tables));
  await copyRows(source, tables, target, (table, done) => progress(table, done, rows[table] ?? 0));
  const books = await compareBooks(source);
  const there = {
    rows: await countRows(target, tables),
    books: await compareBooks({ read: (work) => work(target) }),
  };
  if (!isDeepStrictEqual(there, { rows, books }))
    throw new Error('the data that arrived differs from the data that was sent, so nothing was kept');
  return there;
}

/** The secrets of a folder are in a file beside its database (B195). */
async function keepSecrets(target: Tx, secrets: Readonly<Record<string, string>>): Promise<number> {
  const rows = Object.entries(secrets).map(([name, secret]) => ({ name, secret }));
  if (rows.length > 0) await target.insertInto('shared_secrets').values(rows).execute();
  return rows.length;
}

async function refuseFilled(target: Tx, tables: readonly (keyof GatewayTables)[]): Promise<void> {
  const filled = Object.entries(await countRows(target, tables)).find(([, count]) => count > 0);
  if (filled)
    throw new StartError(`the database is not empty: it has rows in ${filled[0]}; choose an empty database`);
}

import type { Clock } from '../clock.ts';
import type { DatabaseEngine } from './engine.ts';
import { openSqlite } from './sqlite.ts';
import type { BatchThreadSettings } from './write-placement.ts';

/** Where a database is: in an SQLite file, in memory, or on a PostgreSQL server. */
export type DatabasePlace =
  | ({
      /** A path, or `:memory:` for a database in memory. */
      file: string;
      /** Whether other processes are kept out of the database. */
      exclusive?: boolean;
      /** Whether the file held data at an earlier start. If so, the database is refused if it is empty now. */
      mustHold?: boolean;
      /** The event that a resolved write survives: a power cut of the machine, or only the death of the process. */
      survives?: 'powerCut' | 'kill';
    } & BatchThreadSettings)
  | {
      /** The URL of a PostgreSQL database: postgres://user:password@host/database */
      url: string;
      /** The machine's clock. */
      clock: Clock;
    };

/**
 * The images of new databases in memory. The key of each image is the list of statements that make such a database.
 * Copying an image takes a fifth of the time of running the statements, and a test suite opens hundreds of databases.
 */
const images = new WeakMap<readonly string[], Buffer>();

/** Opens the engine of a database. The driver of PostgreSQL is loaded only if it is needed. */
export async function openDatabaseEngine<Schema>(
  place: DatabasePlace,
  fresh: readonly string[] | undefined,
  giveUp: (why: string) => void,
): Promise<DatabaseEngine<Schema>> {
  if ('url' in place) return (await import('./postgres.ts')).openPostgres(place.url, place);
  const synchronous = place.survives === 'kill' ? 'NORMAL' : 'FULL';
  const image = fresh && images.get(fresh);
  return openSqlite(place.file, { ...place, ...(image && { image }), synchronous, giveUp });
}

/**
 * Stores an image of the new database in memory that the statements `fresh` have made. Later databases with the same
 * `fresh` start with a copy of this image.
 */
export function keepImage(
  fresh: readonly string[] | undefined,
  { image }: Pick<DatabaseEngine<unknown>, 'image'>,
): void {
  if (fresh && image && !images.has(fresh)) images.set(fresh, image());
}

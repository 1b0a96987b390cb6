import { join } from 'node:path';
import { openDataFolder } from '../../shared/data-folder.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { StartError } from '../../shared/start-error.ts';
import { openStore, type Store } from './store.ts';

/**
 * Opens the store where a gateway's options want it: a PostgreSQL database, a file in a folder, or in memory.
 *
 * @throws StartError with one line, without the secrets of a database's URL
 */
export function openData(
  { database, dataFolder }: { database?: string; dataFolder?: string },
  runtime: Runtime,
): Promise<Store> {
  if (database !== undefined) return openDatabase(database, runtime);
  if (dataFolder !== undefined) return openFolder(dataFolder, runtime);
  return openStore({ file: ':memory:', inFlight: runtime.inFlight });
}

async function openFolder(folder: string, { inFlight, journal }: Runtime): Promise<Store> {
  const warn = (message: string) => journal.add('warning', { message });
  const file = join(openDataFolder(folder, warn), 'pinpad.sqlite');
  try {
    return await openStore({ file, inFlight });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')
      throw new StartError(
        `another gateway uses ${folder}; stop it, or choose another folder (--data) or none (--memory)`,
      );
    throw new StartError(`cannot keep data in ${file}: ${reasonOf(error)}`);
  }
}

async function openDatabase(url: string, { clock, realClock, inFlight }: Runtime): Promise<Store> {
  if (clock.virtual)
    throw new StartError(
      'a virtual clock does not work with PostgreSQL: leave out --clock virtual or --database',
    );
  try {
    return await openStore({ url, clock: realClock, inFlight });
  } catch (error) {
    throw new StartError(`cannot use the database ${placeOf(url)}: ${reasonOf(error)}`);
  }
}

/** Host and name, without user, password and parameters. */
function placeOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? `${parsed.host}${parsed.pathname}` : 'of this address';
}

/** Where a host has several addresses, each has its error. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

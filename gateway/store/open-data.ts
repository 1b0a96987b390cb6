import { join } from 'node:path';
import type { Clock } from '../../shared/clock.ts';
import { prepareDataFolder } from '../../shared/data-folder.ts';
import { DataMissingError } from '../../shared/database/data-missing.ts';
import type { DatabaseHealthListener } from '../../shared/database/database.ts';
import { isDatabaseUnreachable, isStorageFault } from '../../shared/database/storage-fault.ts';
import { describeFileFault as fileFault, makeCannotKeepDataError } from '../../shared/file-fault.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { StartError } from '../../shared/start-error.ts';
import { type GatewayStore, openGatewayStore } from './store.ts';

/** `toMove` means that the data in the folder will be moved, so the folder must contain data. */
interface DataPlace {
  database?: string;
  dataFolder?: string;
  hadData?: boolean;
  toMove?: boolean;
}

/**
 * Opens the store that a gateway's options ask for: a PostgreSQL database, a file in a folder, or a database in memory.
 *
 * @throws StartError with a message of one line, without the secrets in a database's URL
 */
export function openConfiguredStore(
  { database, dataFolder, hadData = false, toMove = false }: DataPlace,
  runtime: Runtime,
): Promise<GatewayStore> {
  if (database !== undefined) return openDatabase(database, runtime);
  if (dataFolder !== undefined) return openFolder(dataFolder, { hadData, toMove }, runtime);
  return openGatewayStore({ file: ':memory:', inFlight: runtime.inFlight });
}

async function openFolder(
  folder: string,
  { hadData, toMove }: Required<Pick<DataPlace, 'hadData' | 'toMove'>>,
  { inFlight, journal, clock }: Runtime,
): Promise<GatewayStore> {
  const warn = (message: string) => journal.add('warning', { message });
  const instead = toMove ? 'the gateway has to create files in the folder, even to read the data' : undefined;
  const file = join(prepareDataFolder(folder, warn, instead), 'pinpad.sqlite');
  try {
    const mustHold = hadData || toMove;
    return await openGatewayStore({ file, mustHold, inFlight, watcher: watchFile(file, clock, warn) });
  } catch (error) {
    if (error instanceof DataMissingError) throw noData(folder, file, error, toMove);
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')
      throw new StartError(
        toMove
          ? `a gateway uses ${folder}; stop it first`
          : `another gateway uses ${folder}; stop it, or choose another folder (--data), or keep the data in memory (--memory)`,
      );
    throw makeCannotKeepDataError(file, error);
  }
}

/**
 * Makes the error for missing data. The data may be in another place, or lost. Without the error, the gateway would
 * silently make a new, empty file (B194).
 */
function noData(folder: string, file: string, { message }: DataMissingError, toMove: boolean): StartError {
  if (toMove) return new StartError(`there is no data in ${folder}: its file pinpad.sqlite is empty`);
  return makeCannotKeepDataError(
    file,
    new Error(
      `${message}, but credentials.json says that this file holds the data of the folder. Restore this file from a backup. ` +
        'To start without the data, remove "database" from credentials.json. If the data is in PostgreSQL now, use --database',
    ),
  );
}

async function openDatabase(
  url: string,
  { clock, realClock, inFlight, journal }: Runtime,
): Promise<GatewayStore> {
  if (clock.virtual)
    throw new StartError('a virtual clock does not work with PostgreSQL: leave out --clock or --database');
  const place = databaseHostAndNameText(url);
  const watcher = watchDatabase(place, (message) => journal.add('warning', { message }));
  try {
    return await openGatewayStore({ url, clock: realClock, inFlight, watcher });
  } catch (error) {
    throw new StartError(`cannot use the database ${place}: ${reasonOf(error)}`);
  }
}

/** Gives the host and the name of a database, without user, password and parameters. */
export function databaseHostAndNameText(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? `${parsed.host}${parsed.pathname}` : 'of this address';
}

/**
 * The file counts as good again when no write has failed for this many ms. On a nearly full disk, one write may succeed
 * and the next one fail.
 */
const calmMs = 5_000;

/** Reports once when a file cannot be read or written, and once more when it can be read or written again. */
function watchFile(file: string, clock: Clock, report: (message: string) => void): DatabaseHealthListener {
  const reporter = (what: 'read' | 'written') => {
    let failedAt: number | undefined;
    return {
      works() {
        if (failedAt === undefined || clock.monotonic() - failedAt < calmMs) return;
        failedAt = undefined;
        report(`${file} can be ${what} again`);
      },
      fails(error: unknown) {
        if (!isStorageFault(error)) return;
        if (failedAt === undefined)
          report(
            `${file} cannot be ${what} (${fileFault(error)}): requests that need it are answered with 503, and scheduled work waits`,
          );
        failedAt = clock.monotonic();
      },
    };
  };
  const [reads, writes] = [reporter('read'), reporter('written')];
  return { worked: reads.works, failed: reads.fails, stored: writes.works, notStored: writes.fails };
}

/**
 * Makes one report when the database cannot be reached, and another report when the database is reachable again.
 * Requests that are refused between these two reports cause no further report.
 */
function watchDatabase(place: string, report: (message: string) => void): DatabaseHealthListener {
  let isAway = false;
  return {
    worked() {
      if (isAway) report(`the database ${place} is reachable again`);
      isAway = false;
    },
    failed(error) {
      if (isAway || !isDatabaseUnreachable(error)) return;
      isAway = true;
      report(
        `the database ${place} cannot be used (${reasonOf(error)}): requests that need it are answered with 503, and open payments wait`,
      );
    },
  };
}

/** If a host has several addresses, there is an error for each address. */
function reasonOf(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(reasonOf).join('; ') : fileFault(error);
}

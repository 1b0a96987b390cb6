import { isPostgresFault, isPostgresGone } from './postgres-errors.ts';

/** SQLite's codes for failures of the machine: no room, a broken disk, a file that cannot be written any more. */
const codes = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|BUSY|PROTOCOL)/;

/** Whether a read or write failed because of the machine or its network, so that the same may succeed later. */
export function isStorageFault(error: unknown): boolean {
  return isFileFault(error) || isPostgresFault(error);
}

/** Whether an error means the same for an SQLite file. */
function isFileFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && codes.test(String(error.code));
}

/**
 * Whether a database could not be reached at all. The watcher of the database reports it once: see {@link
 * Database.open}.
 */
export function isGone(error: unknown): boolean {
  return isPostgresGone(error);
}

/** Whether the watcher of the database reports the error once, instead of each call that fails because of it. */
export function isSaidOnce(error: unknown): boolean {
  return isGone(error) || isFileFault(error);
}

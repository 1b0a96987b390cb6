import { isPostgresUnavailable, isTransientPostgresFault } from './postgres-errors.ts';

/** SQLite's codes for failures of the machine: no room, a broken disk, a file that can no longer be written. */
const codes = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|BUSY|PROTOCOL)/;

/** Whether a read or write failed because of the machine or its network, so that the same call may succeed later. */
export function isStorageFault(error: unknown): boolean {
  return isFileFault(error) || isTransientPostgresFault(error);
}

/** Whether a read or write of an SQLite file failed because of the machine. */
function isFileFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && codes.test(String(error.code));
}

/**
 * Whether a database could not be reached at all. The watcher that is given to {@link Database.open} reports such an
 * error once.
 */
export function isDatabaseUnreachable(error: unknown): boolean {
  return isPostgresUnavailable(error);
}

/**
 * Whether the database's watcher reports the error once. Calls that fail because of the error need not report it again.
 */
export function isReportedByWatcher(error: unknown): boolean {
  return isDatabaseUnreachable(error) || isFileFault(error);
}

import { isPostgresFault, isPostgresGone } from './postgres-errors.ts';

/** SQLite's names for what the machine did: no room, a broken disk, a file that cannot be written any more. */
const codes = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|BUSY|PROTOCOL)/;

/** Whether a read or write failed because of the machine or its network, so that the same may succeed later. */
export function isStorageFault(error: unknown): boolean {
  if (error instanceof Error && 'code' in error && codes.test(String(error.code))) return true;
  return isPostgresFault(error);
}

/** Whether a database could not be reached at all, which whoever watches it says once: see {@link Database.open}. */
export function isGone(error: unknown): boolean {
  return isPostgresGone(error);
}

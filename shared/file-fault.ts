import { StartError } from './start-error.ts';

/** Returns the reason why a file cannot be used, in plain words if there are plain words for the error. */
export function describeFileFault(error: unknown): string {
  // `reasons` has no ENOENT, because a missing file at a start may be a fault of pinpad
  if (codeOf(error) === 'ENOENT') return 'there is no such file or folder';
  return knownReason(error) ?? (error instanceof Error ? error.message : String(error));
}

/**
 * Returns the log's text about the cause of a failure. If the machine failed, the text is in plain words. If the fault
 * is in pinpad, the text has the stack.
 */
export function describeCauseForLog(error: unknown): string {
  return knownReason(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/**
 * Returns a StartError if a start failed because pinpad's data could not be opened, read or written. Returns undefined
 * for any other error, because the stack of such an error is useful.
 */
export function toDataStartError(where: string, error: unknown): StartError | undefined {
  return knownReason(error) === undefined ? undefined : makeCannotKeepDataError(where, error);
}

/** Makes the StartError for a start that cannot use pinpad's data, whatever the reason is. */
export function makeCannotKeepDataError(where: string, error: unknown): StartError {
  return new StartError(`cannot keep data in ${where}: ${describeFileFault(error)}`);
}

export function makeCannotWriteError(file: string, error: unknown): StartError {
  return new StartError(`cannot write ${file}: ${describeFileFault(error)}`);
}

function knownReason(error: unknown): string | undefined {
  const code = codeOf(error);
  return reasons[code] ?? reasons[code.split('_').slice(0, 2).join('_')]; // SQLITE_IOERR_WRITE counts as SQLITE_IOERR
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const damaged = 'it is damaged: replace it by a copy, or move it away and start without its data';

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  NOT_A_FILE: 'it is not a file',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a part of its path is a file',
  EROFS: 'the disk is read-only',
  SQLITE_CANTOPEN: 'it cannot be opened',
  SQLITE_CORRUPT: damaged,
  SQLITE_FULL: 'no space left on the disk',
  SQLITE_IOERR: 'the disk cannot be read or written: it may be full',
  SQLITE_NOTADB: damaged,
  SQLITE_READONLY: 'it cannot be written',
};

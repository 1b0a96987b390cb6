import { StartError } from './start-error.ts';

/** Why a file cannot be used, in words of the field where we have some, and what to do. */
export function fileFaultReason(error: unknown): string {
  if (codeOf(error) === 'ENOENT') return 'there is no such file or folder'; // at a start, it may be one of ours that is missing
  return knownReason(error) ?? (error instanceof Error ? error.message : String(error));
}

/** Why something failed, for the log: what the machine did in words, a fault of ours with its stack. */
export function causeOf(error: unknown): string {
  return knownReason(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/**
 * What a start says that ended for lack of its data, be it when they were opened or by a later read or write; undefined
 * where something else ended it, which its stack is to show.
 */
export function dataFault(where: string, error: unknown): StartError | undefined {
  return knownReason(error) === undefined ? undefined : cannotKeepData(where, error);
}

/** Where whatever went wrong makes the data unusable. */
export function cannotKeepData(where: string, error: unknown): StartError {
  return new StartError(`cannot keep data in ${where}: ${fileFaultReason(error)}`);
}

export function cannotWrite(file: string, error: unknown): StartError {
  return new StartError(`cannot write ${file}: ${fileFaultReason(error)}`);
}

function knownReason(error: unknown): string | undefined {
  const code = codeOf(error);
  return reasons[code] ?? reasons[code.split('_').slice(0, 2).join('_')]; // of SQLITE_IOERR_WRITE the kind
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const damaged = 'it is damaged: put a copy in its place, or move it away and begin without what it holds';

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  NOT_A_FILE: 'it is no file',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a part of its path is a file',
  EROFS: 'the disk is read-only',
  SQLITE_CANTOPEN: 'it cannot be opened',
  SQLITE_CORRUPT: damaged,
  SQLITE_FULL: 'no space left on the disk',
  SQLITE_IOERR: 'the disk cannot be read or written: it may be full',
  SQLITE_NOTADB: damaged,
  SQLITE_READONLY: 'it can only be read',
};

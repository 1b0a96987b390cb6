import { statSync } from 'node:fs';
import { UnknownCommitOutcomeError } from './engine.ts';

/**
 * Gives the inode number of the file at a path. Gives undefined if there is no file, and null if the path cannot be
 * read, for example because its folder is locked.
 */
export function readInodeNumber(path: string): number | undefined | null {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino;
  } catch {
    return null;
  }
}

/**
 * Checks that there is still the same file at a path. If the file was removed or replaced, SQLite continues to write to
 * the old file, and everything that is committed there is lost when the process ends.
 *
 * @throws UnknownCommitOutcomeError
 */
export function checkSameFile(path: string, file: ReturnType<typeof readInodeNumber>): void {
  const now = readInodeNumber(path);
  if (now !== file && now !== null && file !== null)
    throw new UnknownCommitOutcomeError(`${path} was removed or replaced while it was in use`);
}

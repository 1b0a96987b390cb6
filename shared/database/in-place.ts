import { statSync } from 'node:fs';
import { UnknownOutcome } from './engine.ts';

/**
 * The number of the file that a path leads to; undefined if there is no file, null if the path cannot be read, as in a
 * locked folder.
 */
export function fileAt(path: string): number | undefined | null {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino;
  } catch {
    return null;
  }
}

/**
 * Checks that a path still leads to the same file. SQLite goes on writing to a file that was removed or replaced, and
 * what is committed there is lost with the process.
 *
 * @throws UnknownOutcome
 */
export function stillAt(path: string, file: ReturnType<typeof fileAt>): void {
  const now = fileAt(path);
  if (now !== file && now !== null && file !== null)
    throw new UnknownOutcome(`${path} was removed or replaced while it was in use`);
}

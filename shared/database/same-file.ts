import { statSync } from 'node:fs';
import { UnknownOutcome } from './engine.ts';

/**
 * Gives the number of the file at a path; undefined if there is no file, null if the path cannot be read, for example
 * in a locked folder.
 */
export function fileNumberAt(path: string): number | undefined | null {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino;
  } catch {
    return null;
  }
}

/**
 * Checks that there is still the same file at a path. If a file was removed or replaced, SQLite goes on writing to the
 * old one, and everything that is committed there is lost when the process ends.
 *
 * @throws UnknownOutcome
 */
export function checkSameFile(path: string, file: ReturnType<typeof fileNumberAt>): void {
  const now = fileNumberAt(path);
  if (now !== file && now !== null && file !== null)
    throw new UnknownOutcome(`${path} was removed or replaced while it was in use`);
}

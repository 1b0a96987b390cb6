import { statSync } from 'node:fs';
import { UnknownOutcome } from './engine.ts';

/** Which file a path leads to; undefined where to none. */
export function fileAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/**
 * Checks that a path still leads to the file that it led to. SQLite goes on in a file that was removed or replaced, and
 * whatever is committed to that is gone with the process.
 *
 * @throws UnknownOutcome
 */
export function stillAt(path: string, file: number | undefined): void {
  if (fileAt(path) !== file) throw new UnknownOutcome(`${path} was removed or replaced while it was in use`);
}

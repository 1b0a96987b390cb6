import { statSync } from 'node:fs';
import { UnknownOutcome } from './engine.ts';

/** Which file a path leads to; undefined where to none, null where that cannot be seen, as in a folder that was locked. */
export function fileAt(path: string): number | undefined | null {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino;
  } catch {
    return null;
  }
}

/**
 * Checks that a path still leads to the file that it led to. SQLite goes on in a file that was removed or replaced, and
 * whatever is committed to that is gone with the process.
 *
 * @throws UnknownOutcome
 */
export function stillAt(path: string, file: ReturnType<typeof fileAt>): void {
  const now = fileAt(path);
  if (now !== file && now !== null && file !== null)
    throw new UnknownOutcome(`${path} was removed or replaced while it was in use`);
}

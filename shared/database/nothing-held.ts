import { regularFile } from '../regular-file.ts';

/** A database that held data is empty, or not there. */
export class NothingHeld extends Error {
  override name = 'NothingHeld';
}

/**
 * Looks at a file before SQLite does, which makes one that is not there, and removes the log beside one that is empty: what
 * can be recovered may be in it.
 *
 * @throws NothingHeld
 */
export function mustHoldData(file: string): void {
  const there = regularFile(file);
  if (!there) throw new NothingHeld('it is not there');
  if (there.size === 0) throw new NothingHeld('it is empty');
}

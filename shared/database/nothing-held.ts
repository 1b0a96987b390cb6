import { regularFile } from '../regular-file.ts';

/** A database that held data is now empty or missing. */
export class NothingHeld extends Error {
  override name = 'NothingHeld';
}

/**
 * Checks that a file holds data, before SQLite opens it. SQLite would make a missing file, and would remove the log
 * beside an empty one, from which data could perhaps be recovered.
 *
 * @throws NothingHeld
 */
export function mustHoldData(file: string): void {
  const there = regularFile(file);
  if (!there) throw new NothingHeld('it is not there');
  if (there.size === 0) throw new NothingHeld('it is empty');
}

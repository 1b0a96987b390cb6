import { regularFile } from '../regular-file.ts';

/** Thrown if a database that held data is now empty or missing. */
export class NothingHeld extends Error {
  override name = 'NothingHeld';
}

/**
 * Checks that a file holds data, before SQLite opens it. SQLite would create a missing file. Beside an empty file it
 * would remove the log, from which data might be recovered.
 *
 * @throws NothingHeld
 */
export function mustHoldData(file: string): void {
  const there = regularFile(file);
  if (!there) throw new NothingHeld('it is not there');
  if (there.size === 0) throw new NothingHeld('it is empty');
}

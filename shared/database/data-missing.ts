import { statRegularFile } from '../regular-file.ts';

/** Thrown if a database that held data is now empty or missing. */
export class DataMissing extends Error {
  override name = 'DataMissing';
}

/**
 * Checks that a file holds data, before SQLite opens it. SQLite would create a missing file. Beside an empty file it
 * would remove the log, from which data might be recovered.
 *
 * @throws DataMissing
 */
export function checkHoldsData(file: string): void {
  const there = statRegularFile(file);
  if (!there) throw new DataMissing('it is not there');
  if (there.size === 0) throw new DataMissing('it is empty');
}

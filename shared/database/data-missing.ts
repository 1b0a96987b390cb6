import { statRegularFile } from '../regular-file.ts';

/** Thrown if a database that held data is now empty or missing. */
export class DataMissingError extends Error {
  override name = 'DataMissingError';
}

/**
 * Checks that a file holds data, before SQLite opens it. SQLite would create a missing file. If the file is empty,
 * SQLite would remove the log beside the file, although data might be recovered from that log.
 *
 * @throws DataMissingError
 */
export function checkDatabaseFileHoldsData(file: string): void {
  const there = statRegularFile(file);
  if (!there) throw new DataMissingError('it is not there');
  if (there.size === 0) throw new DataMissingError('it is empty');
}

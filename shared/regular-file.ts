import { type Stats, statSync } from 'node:fs';

/**
 * Looks whether what has a file's place can be read to its end, or written: a pipe would be waited for, and a device gives
 * bytes until memory ends. Undefined where nothing is there.
 *
 * @throws Error of code EISDIR or NOT_A_FILE where it cannot
 */
export function regularFile(file: string): Stats | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats || stats.isFile()) return stats;
  if (stats.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
  throw Object.assign(new Error('it is no file'), { code: 'NOT_A_FILE' });
}

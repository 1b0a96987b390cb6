import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';

/** What people write has some kilobytes; a YAML parser takes hundreds of times its size where it is deliberately awkward. */
const mostBytes = 1_000_000;

/**
 * The text of what a person wrote, also from a pipe such as `<(…)`, where somebody writes to it.
 *
 * @throws Error where it cannot be read, or is larger than anybody writes: `/dev/zero` has no end
 */
export function readWritten(file: string): string {
  const bytes = Buffer.allocUnsafe(mostBytes + 1);
  const descriptor = openSync(file, 'r');
  try {
    let length = 0;
    for (let read = -1; read !== 0 && length <= mostBytes; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    if (length > mostBytes) throw new Error(`it has more than ${mostBytes / 1_000_000} MB`);
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}

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

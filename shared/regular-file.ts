import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';

/**
 * The maximum number of bytes of a file that a person wrote. Such a file usually has some kilobytes. The size is
 * limited, because a malicious file can make a YAML parser use hundreds of times the file's size in memory.
 */
const mostBytes = 1_000_000;

/**
 * Reads a text that a person wrote, even from a pipe such as `<(…)` that another program writes.
 *
 * @throws Error if the file cannot be read, or has more than {@link mostBytes} bytes; `/dev/zero`, for example, has no
 * end
 */
export function readUserFile(file: string): string {
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
 * Checks that a path leads to a regular file. Other files cannot be read safely: a pipe may never end, and a device can
 * return bytes until memory is full. Returns undefined if there is no file.
 * @throws Error with code EISDIR or NOT_A_FILE if the path leads to anything but a regular file
 */
export function statRegularFile(file: string): Stats | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats || stats.isFile()) return stats;
  if (stats.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
  throw Object.assign(new Error('it is not a file'), { code: 'NOT_A_FILE' });
}

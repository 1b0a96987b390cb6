import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the lines of a file SHA256SUMS, which `sha256sum --check` reads. */
export function formatChecksumFile(folder: string, files: readonly string[]): string {
  return [...files]
    .sort()
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex')}  ${file}\n`,
    )
    .join('');
}

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Violation } from '../load/check.ts';

/** Texts that must stand in none of these files. */
export interface Kept {
  what: string;
  texts: readonly string[];
  files: readonly string[];
}

/** Looks for every text in every file, byte for byte. */
export function findSecrets(kept: readonly Kept[]): Violation[] {
  return kept.flatMap(({ what, texts, files }) =>
    files.flatMap((file) => {
      const content = readFileSync(file);
      return texts
        .filter((text) => content.includes(text))
        .slice(0, 5)
        .map((text) => ({
          rule: `${what} stands in no file`,
          detail: `${text} in ${file}: ${around(content, text)}`,
        }));
    }),
  );
}

/** Every file below a folder, except those with these names. */
export function filesIn(folder: string, except: readonly string[] = []): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !except.some((other) => name.endsWith(other)))
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
}

function around(content: Buffer, text: string): string {
  const at = content.indexOf(text);
  return content
    .subarray(Math.max(0, at - 300), at + 100)
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e]/g, '.');
}

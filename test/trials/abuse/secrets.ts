import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Violation } from '../../load/check.ts';

/** Texts that none of the named files may contain. */
export interface SecretSearch {
  what: string;
  texts: readonly string[];
  files: readonly string[];
  /**
   * Matches every one of the texts. With it, one pass can search for thousands of texts. Without it, each text is
   * searched for separately.
   */
  shape?: RegExp;
}

/**
 * Two pieces overlap by more than the longest text. So a text that crosses the end of one piece is whole in the next
 * piece.
 */
const overlap = 1_000;
const pieceBytes = 16 * 1024 * 1024;

/** Searches every file for every text. It reads bytes, because the log of an hour does not fit into a string. */
export function findSecrets(kept: readonly SecretSearch[]): Violation[] {
  return kept.flatMap(({ what, texts, files, shape }) => {
    const wanted = new Set(texts);
    return files.flatMap((file) => {
      const found = new Map<string, string>();
      for (const piece of piecesOf(file))
        for (const text of standingIn(piece, wanted, shape)) found.set(text, around(piece, text));
      return [...found].slice(0, 5).map(([text, context]) => ({
        rule: `${what} stands in no file`,
        detail: `${text} in ${file}: ${context}`,
      }));
    });
  });
}

function standingIn(piece: string, wanted: ReadonlySet<string>, shape: RegExp | undefined): string[] {
  if (!shape) return [...wanted].filter((text) => piece.includes(text));
  const found = new Set<string>();
  for (const [, text = ''] of piece.matchAll(new RegExp(`(?=(${shape.source}))`, 'g')))
    if (wanted.has(text)) found.add(text);
  return [...found];
}

/** Reads a file from its beginning to its end, with one character for each byte. */
function* piecesOf(file: string): Generator<string> {
  const open = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(overlap + pieceBytes);
    let kept = 0;
    for (let read = 1; read > 0; ) {
      read = readSync(open, buffer, kept, pieceBytes, null);
      const end = kept + read;
      yield buffer.toString('latin1', 0, end);
      kept = Math.min(end, overlap);
      buffer.copy(buffer, 0, end - kept, end);
    }
  } finally {
    closeSync(open);
  }
}

/** Returns every file below a folder, except those with these names. */
export function filesIn(folder: string, except: readonly string[] = []): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !except.some((other) => name.endsWith(other)))
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
}

function around(piece: string, text: string): string {
  const at = piece.indexOf(text);
  return piece.slice(Math.max(0, at - 300), at + 100).replaceAll(/[^\x20-\x7e]/g, '.');
}

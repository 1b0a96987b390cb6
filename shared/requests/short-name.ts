import { createHash } from 'node:crypto';

/** The maximum length of a name that is kept whole, in characters. Hardly any name is longer. */
const longest = 200;
const beginning = 100;

/**
 * Returns a short name unchanged. Shortens a very long name to its beginning and a fingerprint, because thousands of
 * names are remembered (B318).
 */
export function shortenName(name: string): string {
  if (name.length <= longest) return name;
  // `slice` alone would keep the whole longer text in memory.
  const begun = Buffer.from(name.slice(0, beginning)).toString();
  return `${begun}…${createHash('sha256').update(name).digest('base64url')}`;
}

import { createHash } from 'node:crypto';

/** The longest name that is kept whole, in characters; hardly any is longer. */
const longest = 200;
const beginning = 100;

/**
 * Gives a short name as it is, and a very long one as its beginning and a fingerprint: thousands of names are
 * remembered (B318).
 */
export function shortName(name: string): string {
  if (name.length <= longest) return name;
  // A part of a longer text would keep all of that text in memory.
  const begun = Buffer.from(name.slice(0, beginning)).toString();
  return `${begun}…${createHash('sha256').update(name).digest('base64url')}`;
}

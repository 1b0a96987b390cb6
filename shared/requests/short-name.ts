import { createHash } from 'node:crypto';

/** What a point of sale calls its sales is hardly ever longer. */
const longest = 200;
const beginning = 100;

/** A name, or of one as long as a request its beginning and a fingerprint: thousands are remembered (B318). */
export function shortName(name: string): string {
  if (name.length <= longest) return name;
  // A part of a longer text would keep all of it in memory.
  const begun = Buffer.from(name.slice(0, beginning)).toString();
  return `${begun}…${createHash('sha256').update(name).digest('base64url')}`;
}

import { createRequire } from 'node:module';

/** The maximum number of letters that may be wrong in a name. Two letters in the wrong order count as two. */
const mostChanges = 3;

/**
 * Returns the known name that `given` was probably meant to be, or undefined if `given` resembles no known name (B261).
 */
export function findMeantName(given: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || given === '') return undefined;
  // The library is loaded only here, because it is needed only when a name is wrong.
  const { closest, distance } = createRequire(import.meta.url)(
    'fastest-levenshtein',
  ) as typeof import('fastest-levenshtein');
  const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, '');
  const names = new Map(known.map((name) => [plain(name), name]));
  const near = closest(plain(given), [...names.keys()]);
  const changes = distance(plain(given), near);
  const longest = Math.max(given.length, near.length);
  return changes <= mostChanges && changes <= longest / 2 ? names.get(near) : undefined;
}

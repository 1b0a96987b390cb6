import { holdsCardNumber, maskAndTruncate } from './card-numbers.ts';

/**
 * The maximum number of paths that are reported, and the maximum length of each. Both are limited, because the client
 * chooses how many fields there are and how long their names are.
 */
const [mostFound, longestPath] = [100, 256];

/**
 * Searches a JSON value for fields whose name or value looks like a card number, and gives the dotted path of each such
 * field. The path is empty if the JSON value itself looks like a card number.
 */
export function findCardNumbers(value: unknown): string[] {
  const found: string[] = [];
  if (looksLikeOne(value)) found.push('');
  else search(value, [], found);
  return found;
}

/** Searches a value for card numbers. A path is composed only if something is found, which is rare. */
function search(value: unknown, at: string[], found: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Record<string, unknown>;
  for (const name in fields) {
    if (found.length === mostFound) return;
    at.push(name);
    const one = fields[name];
    if (holdsCardNumber(name) || looksLikeOne(one)) found.push(maskAndTruncate(at.join('.'), longestPath));
    else search(one, at, found);
    at.pop();
  }
}

function looksLikeOne(value: unknown): boolean {
  if (typeof value === 'string') return holdsCardNumber(value);
  return typeof value === 'number' && value >= 1e11 && holdsCardNumber(String(value));
}

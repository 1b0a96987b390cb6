import { z } from 'zod';

/** A whole number in a query or a header: decimal digits and nothing else, not even none at all. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  const read = (text: unknown) => (typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : text);
  // A text here would be said of numbers out of range, too.
  const error = ({ code }: { code: string }) =>
    code === 'invalid_type' ? 'must be a whole number' : undefined;
  return z.preprocess(read, z.int({ error }).min(least).max(most));
}

import { z } from 'zod';

/** A whole number in a query or a header: decimal digits, at least one, and nothing else. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  const read = (text: unknown) => (typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : text);
  // A fixed text here would also be the message about numbers out of range.
  const error = ({ code }: { code: string }) =>
    code === 'invalid_type' ? 'must be a whole number' : undefined;
  return z.preprocess(read, z.int({ error }).min(least).max(most));
}

import { z } from 'zod';

/** Makes the schema of a whole number in a query or a header. The text may consist of decimal digits only. */
export function makeWholeNumberSchema(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  const read = (text: unknown) => (typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : text);
  // A fixed message here would also replace the messages about a number that is too large or too small.
  const error = ({ code }: { code: string }) =>
    code === 'invalid_type' ? 'must be a whole number' : undefined;
  return z.preprocess(read, z.int({ error }).min(least).max(most));
}

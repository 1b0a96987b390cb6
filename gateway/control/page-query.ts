import { z } from 'zod';
import { wholeNumber } from '../http/whole-number.ts';

/**
 * The query of a list that begins with the latest entry: where a page begins and how long it is. `what` names one
 * entry, in words.
 */
export const pageQuery = (what: string) => ({
  before: z
    .uuid()
    .optional()
    .meta({ description: `Continues after this ${what}: the last one of the previous page` }),
  limit: wholeNumber(1, 1000)
    .default(50)
    .meta({ description: 'The most that are returned; 50 unless given' }),
});

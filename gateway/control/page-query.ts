import { z } from 'zod';
import { makeWholeNumberSchema } from '../http/whole-number.ts';

/**
 * Makes the query parameters of a list that begins with the latest entry. `before` chooses the page, and `limit` is
 * the page's length. `what` is the word for an entry in the descriptions.
 */
export const makePageQueryFields = (what: string) => ({
  before: z
    .uuid()
    .optional()
    .meta({
      description: `The identifier of the last ${what} on the page that you have; the answer is the next page`,
    }),
  limit: makeWholeNumberSchema(1, 1000)
    .default(50)
    .meta({ description: 'The maximum number of items; 50 by default' }),
});

/** The query parameter that limits a list to one account. */
export const accountQuerySchema = z.object({
  accountId: z.string().optional().meta({ description: 'Return only items of this account' }),
});

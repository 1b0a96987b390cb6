import { z } from 'zod';
import { name } from '../format/values.ts';

/** What every request of the point of sale can say beside what it asks. */
export const sending = {
  as: name.optional(),
  headers: z
    .record(z.string(), z.union([z.string(), z.null()]))
    .optional()
    .meta({ description: 'Further headers; null leaves one out' }),
  token: z
    .string()
    .optional()
    .meta({ description: 'production, none, or a token; the sandbox token by default' }),
};

/** The fields of a step that say how its request is sent. */
export function sendingOf({ as, headers, token }: z.infer<z.ZodObject<typeof sending>>) {
  return { as, headers, token };
}

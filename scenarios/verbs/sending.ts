import { z } from 'zod';
import { nameSchema } from '../format/values.ts';

/** The fields that every request of the point of sale can have in addition to its content. */
export const sendOptionFields = {
  as: nameSchema.optional(),
  api: z.literal('adyen').optional().meta({
    description:
      "Sends the request in Adyen's Terminal API. If the request needs no name, you can write `as: adyen` instead",
  }),
  headers: z
    .record(z.string(), z.union([z.string(), z.null()]))
    .optional()
    .meta({ description: 'Headers to add or replace; null leaves a header out' }),
  token: z.string().optional().meta({
    description:
      'The API token to use: `production` for the production token, `none` for no token, or the text of a token. By default, the sandbox token',
  }),
};

/** Returns the fields of a step that determine how the step's request is sent. */
export function sendOptionsOf({ as, headers, token, api }: z.infer<z.ZodObject<typeof sendOptionFields>>) {
  const isAdyen = api === 'adyen' || as === 'adyen';
  return { as: as === 'adyen' ? undefined : as, headers, token, ...(isAdyen && { api: 'adyen' as const }) };
}

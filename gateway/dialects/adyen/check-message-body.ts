import type { z } from 'zod';
import type { DialectAnswerMeaning } from '../../../shared/dialect-meaning.ts';
import { makeFailureField } from './answers.ts';
import { fieldOf, type Message, saleDataSchema } from './message.ts';

/**
 * Checks the body of a message by its schema. If the body does not fit, gives the response with the faults and their
 * paths. The paths begin with `name`, which is the name of the body in the message.
 */
export function checkMessageBody<Schema extends z.ZodType>(
  schema: Schema,
  { body }: Message,
  name: string,
): { body: z.output<Schema> } | { response: object; means: DialectAnswerMeaning } {
  const parsed = schema.safeParse(body);
  if (parsed.success) return { body: parsed.data };
  const errors = parsed.error.issues
    .slice(0, 20)
    .map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`);
  const sale = saleDataSchema.safeParse(fieldOf(body, 'SaleData'));
  return {
    response: {
      ...makeFailureField('MessageFormat', 'The message is not valid', { errors: errors.join(', ') }),
      ...(sale.success && { SaleData: sale.data }),
    },
    means: { status: 400, as: 'MessageFormat' },
  };
}

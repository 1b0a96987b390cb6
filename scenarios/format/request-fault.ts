import { z } from 'zod';
import { callNames, isCall } from './calls.ts';
import { duration } from './values.ts';

const allowed = `${callNames.join(', ')}, any, or a method and a path such as POST /terminals/{id}/payment-request`;
const what = z
  .string()
  .refine(isCall, { error: ({ input }) => `${input} is no call of the POS; there are: ${allowed}` })
  .meta({ description: allowed });
const times = z
  .union([z.int().min(1), z.literal('always')])
  .optional()
  .meta({ description: 'So many times, or always; once when left out' });

export const dropAnswer = z
  .strictObject({ 'drop answer': what, times })
  .meta({ description: 'The gateway does what the POS asks next, and the answer never arrives' });
export const dropRequest = z
  .strictObject({ 'drop request': what, times })
  .meta({ description: 'What the POS asks next gets lost, and nothing is done' });
export const delayAnswer = z
  .strictObject({
    'delay answer': what,
    by: duration.meta({ description: 'How much later it comes' }),
    times,
  })
  .meta({ description: 'The gateway does what the POS asks next, and answers late' });
export const failAnswer = z
  .strictObject({
    'fail answer': what,
    status: z
      .union([z.literal(500), z.literal(502), z.literal(503), z.literal(504)])
      .optional()
      .meta({ description: '503 when left out' }),
    times,
  })
  .meta({ description: 'The gateway does what the POS asks next, and answers with an error all the same' });

/** Something that goes wrong between the POS and the gateway, as a step says it or as a scenario needs it. */
export const requestFault = z.union([dropAnswer, dropRequest, delayAnswer, failAnswer]);
export type RequestFaultStep = z.infer<typeof requestFault>;

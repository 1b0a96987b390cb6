import { z } from 'zod';
import { callNames, isCall } from './calls.ts';
import { duration } from './values.ts';

const allowed = `${callNames.join(', ')}, any, or a method and a path such as POST /terminals/{id}/payment-request`;
const what = z
  .string()
  .refine(isCall, { error: ({ input }) => `${input} is not a request of the POS; use one of: ${allowed}` })
  .meta({ description: allowed });
const times = z
  .union([z.int().min(1), z.literal('always')])
  .optional()
  .meta({ description: 'How many times, or always; once by default' });

export const dropAnswer = z
  .strictObject({ 'drop answer': what, times })
  .meta({ description: "The gateway executes the POS's next such request, but the answer never arrives" });
export const dropRequest = z
  .strictObject({ 'drop request': what, times })
  .meta({ description: "The POS's next such request gets lost and is not executed" });
export const delayAnswer = z
  .strictObject({
    'delay answer': what,
    by: duration.meta({ description: 'The delay' }),
    times,
  })
  .meta({ description: "The gateway executes the POS's next such request, and answers late" });
export const failAnswer = z
  .strictObject({
    'fail answer': what,
    status: z.literal([500, 502, 503, 504]).optional().meta({ description: '503 by default' }),
    times,
  })
  .meta({ description: "The gateway executes the POS's next such request, but answers with an error" });

/** Something that goes wrong between the POS and the gateway, as a step says it or as a scenario needs it. */
export const requestFault = z.union([dropAnswer, dropRequest, delayAnswer, failAnswer]);
export type RequestFaultStep = z.infer<typeof requestFault>;

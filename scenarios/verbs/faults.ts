import { z } from 'zod';
import { callNames, isCall } from '../environment/calls.ts';
import type { World } from '../environment/world.ts';
import { alone, duration, milliseconds } from '../format/values.ts';
import { verb } from '../format/verb.ts';

const allowed = `${callNames.join(', ')}, any, or a method and a path such as POST /terminals/{id}/payment-request`;
const what = z
  .string()
  .refine(isCall, { error: ({ input }) => `${input} is no call of the POS; there are: ${allowed}` })
  .meta({ description: allowed });
const times = z
  .union([z.int().min(1), z.literal('always')])
  .optional()
  .meta({ description: 'So many times, or always; once when left out' });

const dropAnswer = z
  .strictObject({ 'drop answer': what, times })
  .meta({ description: 'The gateway does what the POS asks next, and the answer never arrives' });
const dropRequest = z
  .strictObject({ 'drop request': what, times })
  .meta({ description: 'What the POS asks next gets lost, and nothing is done' });
const delayAnswer = z
  .strictObject({
    'delay answer': what,
    by: duration.meta({ description: 'How much later it comes' }),
    times,
  })
  .meta({ description: 'The gateway does what the POS asks next, and answers late' });
const failAnswer = z
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
type RequestFaultStep = z.infer<typeof requestFault>;

function setFault(world: World, fault: RequestFaultStep): Promise<void> {
  if ('drop answer' in fault) return world.dropAnswer(fault['drop answer'], fault.times);
  if ('drop request' in fault) return world.dropRequest(fault['drop request'], fault.times);
  if ('delay answer' in fault)
    return world.delayAnswer(fault['delay answer'], milliseconds(fault.by), fault.times);
  return world.failAnswer(fault['fail answer'], fault.status, fault.times);
}

/** Sets what a scenario needs to go wrong, in this order. */
export async function setFaults(world: World, faults: readonly RequestFaultStep[] = []): Promise<void> {
  for (const fault of faults) await setFault(world, fault);
}

/** What goes wrong between the POS and the gateway. */
export const faultVerbs = [
  verb('drop answer', dropAnswer, ({ world }, step) => setFault(world, step)),
  verb('drop request', dropRequest, ({ world }, step) => setFault(world, step)),
  verb('delay answer', delayAnswer, ({ world }, step) => setFault(world, step)),
  verb('fail answer', failAnswer, ({ world }, step) => setFault(world, step)),
  verb(
    'answers as usual',
    z
      .strictObject({ 'answers as usual': alone })
      .meta({ description: 'Requests and answers get through again, whatever was said before' }),
    ({ world }) => world.clearFaults(),
    { standsAlone: true },
  ),
];

import { z } from 'zod';
import type { World } from '../environment/world.ts';
import {
  delayAnswer,
  dropAnswer,
  dropRequest,
  failAnswer,
  type RequestFaultStep,
} from '../format/request-fault.ts';
import { alone, milliseconds } from '../format/values.ts';
import { verb } from './verb.ts';

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
      .meta({ description: 'Clears all faults between the POS and the gateway' }),
    ({ world }) => world.clearFaults(),
    { standsAlone: true },
  ),
];

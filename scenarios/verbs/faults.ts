import type { Actors } from '../environment/actors.ts';
import {
  type EventFaultStep,
  type FaultStep,
  faultStepForms,
  type RequestFaultStep,
  readFaultStep,
} from '../format/fault-steps.ts';
import { loneVerbValueSchema } from '../format/values.ts';
import { defineVerb, type Verb } from './verb.ts';

/** The actors through which fault steps set their faults. */
type Askable = Pick<Actors, 'world' | 'receivers'>;

async function setFault({ world, receivers }: Askable, step: FaultStep): Promise<void> {
  const { form, said } = readFaultStep(step);
  const { webhook, after, times } = said;
  const fault = form.fault(said as never);
  if (!form.isOfEvents)
    return world.fault(fault as RequestFaultStep, String(said[form.name]), { after, times });
  if (webhook !== undefined) receivers.get(webhook);
  return world.eventFault(fault as EventFaultStep, { webhook, after, times });
}

/** Sets the faults that a scenario needs, in the order of the list. */
export async function setFaults(actors: Askable, faults: readonly FaultStep[] = []): Promise<void> {
  for (const fault of faults) await setFault(actors, fault);
}

/** The verbs for faults of requests and answers between the POS and the gateway, and for faults of events. */
export const faultVerbs: readonly Verb[] = [
  ...faultStepForms.map(
    ({ name, schema, standsAlone }): Verb => ({
      ...{ name, schema, standsAlone, requires: () => ({}) },
      run: (actors, step) => setFault(actors, step as FaultStep),
    }),
  ),
  defineVerb(
    'answers as usual',
    'Clears all faults of requests, answers and events',
    { 'answers as usual': loneVerbValueSchema },
    ({ world }) => world.clearFaults(),
  ),
];

import type { FaultKind } from './fault-kind.ts';
import { durationMsInFaultName } from './schedule.ts';
import { occurrenceFields } from './terminal-faults.ts';

function event(kind: string, names: readonly string[], says: FaultKind['says']): FaultKind {
  return {
    kind,
    group: 'webhook',
    fits: (moment) => moment === 'event',
    appliesAt: (moment) => (moment === 'event' ? names : []),
    says,
    lastsMs: (fault) => durationMsInFaultName(fault) ?? 0,
    arm: async ({ control }, planned) => {
      const delayMs = durationMsInFaultName(planned.fault);
      const body = {
        fault: kind,
        ...occurrenceFields(planned),
        ...(delayMs === undefined ? {} : { delayMs }),
      };
      await control.POST('/control/faults', { body: body as never });
    },
  };
}

/** Faults of the gateway's webhooks. */
export const eventFaults: readonly FaultKind[] = [
  event('loseEvent', ['loseEvent'], () => 'the event is lost, and sent again later'),
  event('duplicateEvent', ['duplicateEvent'], () => 'the event comes twice'),
  event('reorderEvents', ['reorderEvents'], () => 'this event and the next event come in the wrong order'),
  event(
    'delayEvent',
    ['delayEvent-60s'],
    (fault) => `the event comes ${(durationMsInFaultName(fault) ?? 0) / 1_000} s late`,
  ),
  event('forgeEvent', ['forgeEvent'], () => 'a forged event comes, with a wrong signature'),
];

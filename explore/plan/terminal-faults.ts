import {
  type MomentNameOrAlias,
  momentNamesAndAliases,
  moments,
  resolveMoment,
} from '../../shared/moments.ts';
import type { FaultKind } from './fault-kind.ts';
import { durationMsInFaultName, type PlannedFault, parameterInFaultName } from './schedule.ts';

const named = new Set<string>(momentNamesAndAliases);

function isMoment(name: string): name is MomentNameOrAlias {
  return named.has(name);
}

/** The moment before the command begins. */
export const startMoment = 'start';

/**
 * Whether the terminal writes its memory at a moment. Network faults are not tried at such a moment, because they would
 * have the same effect as in the state just before or after it.
 */
function isCommit(moment: string): boolean {
  return moment.includes('.');
}

function actionsAt(moment: string): readonly string[] {
  return isMoment(moment) ? moments[resolveMoment(moment)].faults : [];
}

/**
 * The milliseconds after which power or network comes back, unless the fault's name has another time. If the power is
 * off from the start, it stays off.
 */
const backMs = 20_000;
const never = 'never';

function backMsOf(fault: string): number | undefined {
  return parameterInFaultName(fault) === never ? undefined : (durationMsInFaultName(fault) ?? backMs);
}

function atTerminal(kind: 'powerOff' | 'networkOff', what: string): FaultKind {
  const applies = (moment: string) =>
    moment === startMoment ? kind === 'powerOff' : actionsAt(moment).includes(kind);
  return {
    kind,
    group: 'terminal',
    fits: applies,
    appliesAt: (moment) => {
      if (!applies(moment) || (kind === 'networkOff' && isCommit(moment))) return [];
      return moment === startMoment ? [kind] : [kind, `${kind}-${never}`];
    },
    says: (fault, moment) => {
      if (moment === startMoment) return 'the terminal is off';
      const ms = backMsOf(fault);
      return ms === undefined ? `${what} and stays away` : `${what} for ${ms / 1_000} s`;
    },
    lastsMs: (fault) => backMsOf(fault) ?? 0,
    arm: async ({ control, terminal }, planned) => {
      const { fault, moment } = planned;
      if (moment === startMoment)
        await control.POST('/control/terminals/{terminalId}/power', {
          params: { path: { terminalId: terminal } },
          body: { on: false },
        });
      else
        await control.PUT('/control/moments/{moment}', {
          params: { path: { moment: moment as MomentNameOrAlias } },
          body: { action: kind, backMs: backMsOf(fault), terminal, ...occurrenceFields(planned) },
        });
    },
  };
}

/**
 * Returns the fields `after` and `times` of a call of the control API. They say at which occurrences of the moment the
 * fault happens.
 */
export function occurrenceFields({ nth, after, times = 1 }: PlannedFault): {
  after: number;
  times: number | null;
} {
  return nth === 'all' ? { after: 0, times: null } : { after: after ?? nth - 1, times };
}

export const powerOffFault = atTerminal('powerOff', 'the terminal loses power');
export const networkOffFault = atTerminal('networkOff', 'the terminal loses its network');

/** A fault in which the gateway crashes at a moment, and starts again at once with the data on its disk. */
export const gatewayCrash: FaultKind = {
  kind: 'crash',
  group: 'gateway',
  fits: (moment) => actionsAt(moment).includes('crash'),
  appliesAt: (moment) => (actionsAt(moment).includes('crash') ? ['crash'] : []),
  says: () => 'the gateway crashes',
  needsFolder: true,
  arm: async ({ control }, planned) => {
    await control.PUT('/control/moments/{moment}', {
      params: { path: { moment: planned.moment as MomentNameOrAlias } },
      body: { action: 'crash', ...occurrenceFields(planned) },
    });
  },
};

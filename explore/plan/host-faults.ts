import { StartError } from '../../shared/start-error.ts';
import { defaultTimeouts } from '../../shared/timeouts.ts';
import type { FaultEnvironment, FaultKind } from './fault-kind.ts';
import { durationMsInFaultName, type PlannedFault } from './schedule.ts';

type Outcome = { type: 'decline' | 'silent' } | { type: 'late'; delayMs: number };

/**
 * The milliseconds between a late answer and the terminal's time limit for the host (B40). One late answer comes before
 * the limit, another comes after it.
 */
const marginMs = 1_000;
const late = [defaultTimeouts.hostMs - marginMs, defaultTimeouts.hostMs + marginMs].map(
  (ms) => `late-${ms / 1_000}s`,
);

function host(kind: Outcome['type'], names: readonly string[], says: FaultKind['says']): FaultKind {
  return {
    kind,
    group: 'host',
    fits: (moment) => moment === 'host',
    appliesAt: (moment) => (moment === 'host' ? names : []),
    says,
    lastsMs: (fault) => durationMsInFaultName(fault) ?? 0,
    arm: (environment, planned) => setOutcome(environment, planned, kind),
  };
}

async function setOutcome(
  { control, terminal }: FaultEnvironment,
  planned: PlannedFault,
  type: Outcome['type'],
) {
  if (planned.nth !== 1 && planned.nth !== 'all')
    throw new StartError(
      `${planned.fault}@host.${planned.nth}: write host.1 for the host's next answer, or host.all for all its answers`,
    );
  const outcome = type === 'late' ? { type, delayMs: durationMsInFaultName(planned.fault) ?? 0 } : { type };
  await control.PUT('/control/terminals/{terminalId}/outcome', {
    params: { path: { terminalId: terminal } },
    body: { mode: planned.nth === 1 ? 'once' : 'always', outcome: outcome as Outcome },
  });
}

/** Faults of the acquirer's host. They happen when the host is asked to authorize a payment. */
export const hostFaults: readonly FaultKind[] = [
  host('decline', ['decline'], () => 'the host declines'),
  host('silent', ['silent'], () => 'the host decides, and its answer never arrives'),
  host('late', late, (fault) => `the host answers ${(durationMsInFaultName(fault) ?? 0) / 1_000} s late`),
];

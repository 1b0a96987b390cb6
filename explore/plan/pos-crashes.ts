import type { FaultKind } from './fault-kind.ts';
import { requestPoints } from './request-points.ts';

function crash(kind: string, when: 'before' | 'after', says: string): FaultKind {
  return {
    kind,
    group: 'POS crash',
    fits: (moment) => requestPoints[moment] !== undefined,
    appliesAt: (moment) => (requestPoints[moment] === undefined ? [] : [kind]),
    says: () => says,
    arm: (environment, planned) => environment.killAt(planned, when),
  };
}

/** Faults that kill the point of sale. Explore then starts the point of sale again (`--restart`). */
export const posCrashes: readonly FaultKind[] = [
  crash('killBefore', 'before', 'the point of sale dies, and its request is lost'),
  crash('killAfter', 'after', 'the point of sale dies when its request has been executed'),
];

import { allStepsOf, type Scenario } from '../format/load-scenarios.ts';
import type { EnvironmentRequirements } from '../verbs/verb.ts';
import { verbs } from '../verbs/verbs.ts';

/** Returns the requirements of a scenario, which are the requirements of all its steps together. */
export function requirementsOf({ steps }: Pick<Scenario, 'steps'>): Required<EnvironmentRequirements> {
  const required = allStepsOf(steps).flatMap((step) =>
    'verb' in step ? (verbs.get(step.verb)?.requires(step.fields) ?? []) : [],
  );
  return {
    waitsMs: required.reduce((sum, { waitsMs = 0 }) => sum + waitsMs, 0),
    restartsGateway: required.some(({ restartsGateway }) => restartsGateway),
  };
}

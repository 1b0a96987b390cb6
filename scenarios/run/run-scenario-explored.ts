import { terminalNamesOf } from '../environment/config-of-needs.ts';
import { connectExploredEnvironment, type ExploredGateway } from '../environment/explored-environment.ts';
import type { Scenario } from '../format/load-scenarios.ts';
import { requirementsOf } from './requirements.ts';
import { runSteps, type ScenarioFailure } from './run-steps.ts';

/**
 * Runs a scenario's steps once in a run of `pinpad explore`, with the gateway and the terminal of this run (B335).
 * Stored values are not compared, because the faults of the run change the actual values.
 */
export async function runScenarioExplored(
  scenario: Scenario,
  gateway: ExploredGateway,
): Promise<ScenarioFailure | undefined> {
  const environment = await connectExploredEnvironment(gateway, terminalNamesOf(scenario.needs));
  try {
    const firstSeq = (await environment.journalSince(0)).at(-1)?.seq ?? 0;
    return (await runSteps(scenario, environment, { firstSeq, stored: 'ignore' })).failure;
  } finally {
    await environment.close();
  }
}

/** Returns the reason why a scenario cannot be explored. Undefined if it can be explored. */
export function describeExploringObstacle({ steps, needs }: Scenario): string | undefined {
  if (requirementsOf({ steps }).restartsGateway) return 'restarts the gateway';
  if (needs.production) return 'needs a token of the production environment';
  return undefined;
}

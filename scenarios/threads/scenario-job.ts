import type { Scenario } from '../format/load-scenarios.ts';
import { runScenario, type ScenarioResult } from '../run/run-scenario.ts';
import { runTraced, type TraceSettings } from './run-traced.ts';

/** A scenario to run, its seed, and whether its trace must be written. */
export interface ScenarioJob {
  readonly scenario: Scenario;
  readonly seed: number | undefined;
  readonly tracing: TraceSettings | undefined;
}

export function runScenarioJob({ scenario, seed, tracing }: ScenarioJob): Promise<ScenarioResult> {
  return runTraced(tracing, (traced) => runScenario(scenario, traced({ seed })));
}

import type { ScenarioRunOptions } from '../../scenarios/index.ts';

/** As --slow and --tui run a scenario, but without waiting. */
export const watchedRun: ScenarioRunOptions = {
  showMs: () => 0,
  onStep: () => new Promise<void>((resolve) => setImmediate(resolve)),
};

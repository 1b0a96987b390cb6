import type { ScenarioRunOptions } from '../../scenarios/index.ts';

/** The options that --slow and --tui set for the run of a scenario, but without waiting times. */
export const watchedRunOptions: ScenarioRunOptions = {
  showMs: () => 0,
  onStep: () => new Promise<void>((resolve) => setImmediate(resolve)),
};

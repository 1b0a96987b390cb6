import type { ScenarioRunOptions } from '../../scenarios/index.ts';

/** The options with which --slow and --tui run a scenario, but without waiting times. */
export const watchedRunOptions: ScenarioRunOptions = {
  showMs: () => 0,
  onStep: () => new Promise<void>((resolve) => setImmediate(resolve)),
};

import { describeExploringObstacle, isScenarioFile, type Scenario } from '../../scenarios/index.ts';
import { StartError } from '../../shared/start-error.ts';
import { selectScenarios } from '../run/selection.ts';
import type { ExploreFlags } from './flags.ts';

/**
 * Returns the scenario that is explored in place of a command, if a scenario file is the only argument.
 *
 * @throws StartError if the scenario cannot be explored
 */
export function loadExploredScenario(argv: readonly string[], flags: ExploreFlags): Scenario | undefined {
  const [file = '', ...others] = argv;
  if (others.length > 0 || !isScenarioFile(file)) return undefined;
  const [scenario, another] = selectScenarios([file]);
  if (!scenario || another)
    throw new StartError(`${file}: "pinpad explore" needs a file with one scenario and without examples`);
  const refused = (['as', 'config', 'before', 'restart', 'kill', 'linger', 'gateway'] as const).filter(
    (name) => flags[name] !== undefined,
  );
  if (refused.length > 0)
    throw new StartError(
      `a scenario has its own settings under "needs", and starts no process: leave out ${refused.map((name) => `--${name}`).join(', ')}`,
    );
  const why = describeExploringObstacle(scenario);
  if (why !== undefined) throw new StartError(`${file} cannot be explored: it ${why}`);
  return scenario;
}

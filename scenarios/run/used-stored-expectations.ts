import { storedNameOf } from '../expect/stored-values.ts';
import { allStepsOf, loadScenarios } from '../format/load-scenarios.ts';
import { placeholdersIn } from '../format/placeholders.ts';
import { verbs } from '../verbs/verbs.ts';

/**
 * Returns the names of the stored values that the scenarios of a file use, in all rows of examples. Undefined if some
 * of these names become known only during the run.
 */
export function findUsedStoredValueNames(scenarioFile: string): string[] | undefined {
  const steps = loadScenarios(scenarioFile, verbs).flatMap((scenario) => allStepsOf(scenario.steps));
  const names = steps.flatMap((step) => ('fields' in step ? namesIn(step.fields) : []));
  return placeholdersIn(names).length > 0 ? undefined : names;
}

function namesIn(wish: unknown): string[] {
  if (!wish || typeof wish !== 'object') return [];
  const name = storedNameOf(wish);
  return name === undefined ? Object.values(wish).flatMap(namesIn) : [name];
}

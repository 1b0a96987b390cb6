import { findScenarios, type Scenario, ScenarioFileError } from '../../scenarios/index.ts';
import { StartError } from '../../stack/index.ts';
import { findShippedFolder } from '../shipped-folder.ts';

/** Returns the folder of the scenarios that come with pinpad. */
export function findShippedScenariosFolder(): string {
  return findShippedFolder('scenarios/library');
}

/**
 * Returns the scenarios of `paths` that `grep` selects. If scenarios have exactly this text as their name, returns
 * these, because users paste the name that a failure has printed. Otherwise, `grep` is a regular expression, and the
 * scenarios whose name, file or tags match it are returned.
 *
 * @throws StartError if there is no such scenario, a file is wrong, or `grep` is no regular expression
 */
export function selectScenarios(paths: readonly string[], grep = ''): Scenario[] {
  try {
    const all = findScenarios(paths);
    const called = all.filter(({ name }) => name === grep);
    if (called.length > 0) return called;
    const pattern = new RegExp(grep, 'iu');
    const found = all.filter(({ name, file, tags }) =>
      [name, file, ...tags].some((text) => pattern.test(text)),
    );
    if (found.length === 0) throw new StartError(`--grep ${grep}: no scenario matches`);
    return found;
  } catch (error) {
    if (error instanceof ScenarioFileError)
      throw new StartError(`nothing was run because of these errors:\n${error.message}`);
    if (error instanceof SyntaxError) throw new StartError(`--grep: ${error.message}`);
    throw error;
  }
}

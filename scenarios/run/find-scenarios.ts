import * as fs from 'node:fs'; // with a named import, an older Node fails at globSync before its version is reported
import { join, relative, resolve, sep } from 'node:path';
import { fileFaultReason } from '../../shared/file-fault.ts';
import { StartError } from '../../shared/start-error.ts';
import { loadScenarios, type Scenario } from '../format/load-scenarios.ts';
import { type FileProblem, ScenarioFileError } from '../format/scenario-file.ts';
import { verbs } from '../verbs/verbs.ts';

/** Whether a file is a scenario, and neither a file with steps to include nor a file of stored values. */
export const isScenarioFile = (file: string) =>
  /\.ya?ml$/.test(file) && !/\.(steps|stored)\.ya?ml$/.test(file);

/**
 * Returns the scenarios of files, folders and globs, sorted by file name.
 *
 * @throws StartError for a path without a scenario; ScenarioFileError with every mistake in every file
 */
export function findScenarios(paths: readonly string[]): Scenario[] {
  const files = [...new Set(paths.flatMap(scenarioFiles))];
  const faults: FileProblem[] = [];
  const scenarios = files.flatMap((file) => {
    try {
      return loadScenarios(file, verbs);
    } catch (error) {
      if (!(error instanceof ScenarioFileError)) throw error;
      // one call with all of them could exceed the maximum number of arguments
      for (const fault of error.faults) faults.push(fault);
      return [];
    }
  });
  if (faults.length > 0) throw new ScenarioFileError(faults);
  return scenarios;
}

function scenarioFiles(path: string): string[] {
  const stats = readableThing(path);
  if (stats?.isFile() && !/\.ya?ml$/.test(path))
    throw new StartError(`${path} is not a scenario: scenarios are files that end in .yaml or .yml`);
  const found = stats?.isFile()
    ? [path]
    : fs.globSync(stats?.isDirectory() ? join(path, '**/*.{yaml,yml}') : path).filter(isScenarioFile);
  if (found.length === 0)
    throw new StartError(stats || isGlob(path) ? `no scenarios in ${path}` : `${path} does not exist`);
  return found.map(readable).sort();
}

/**
 * Returns the file or folder at a path, if there is one. Throws if a folder cannot be read, because a glob would treat
 * that folder as empty.
 */
function readableThing(path: string): fs.Stats | undefined {
  try {
    const stats = fs.statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) fs.readdirSync(path);
    return stats;
  } catch (error) {
    throw new StartError(`${path} cannot be read: ${fileFaultReason(error)}`);
  }
}

const isGlob = (path: string) => /[*?[\]{}]/.test(path);

/** Returns the path of a file relative to the current folder, if the file is in that folder. */
function readable(file: string): string {
  const path = relative('.', file);
  return (path.startsWith('..') ? resolve(file) : path).replaceAll(sep, '/');
}

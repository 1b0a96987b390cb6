// An older Node has no globSync. A named import would fail there, before pinpad can report that this Node is too old.
import * as fs from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { describeFileFault } from '../../shared/file-fault.ts';
import { StartError } from '../../shared/start-error.ts';
import { loadScenarios, type Scenario } from '../format/load-scenarios.ts';
import { type FileProblem, ScenarioFileError } from '../format/scenario-file.ts';
import { verbs } from '../verbs/verbs.ts';

/** Whether a file is a scenario. Files of steps to include and files of stored values are no scenarios. */
export const isScenarioFile = (file: string) =>
  /\.ya?ml$/.test(file) && !/\.(steps|stored)\.ya?ml$/.test(file);

/**
 * Returns the scenarios that the given files, folders and globs contain, sorted by file name.
 *
 * @throws StartError if a path contains no scenario; ScenarioFileError with all mistakes in all files
 */
export function findScenarios(paths: readonly string[]): Scenario[] {
  const files = [...new Set(paths.flatMap(scenarioFiles))];
  const faults: FileProblem[] = [];
  const scenarios = files.flatMap((file) => {
    try {
      return loadScenarios(file, verbs);
    } catch (error) {
      if (!(error instanceof ScenarioFileError)) throw error;
      // a single `push` of all faults could exceed the maximum number of arguments
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
 * Returns the file or folder at a path, if there is one. Throws an error if a folder cannot be read, because a glob
 * would treat such a folder as empty.
 */
function readableThing(path: string): fs.Stats | undefined {
  try {
    const stats = fs.statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) fs.readdirSync(path);
    return stats;
  } catch (error) {
    throw new StartError(`${path} cannot be read: ${describeFileFault(error)}`);
  }
}

const isGlob = (path: string) => /[*?[\]{}]/.test(path);

/** Returns the path of a file relative to the current folder, if the file is in that folder. */
function readable(file: string): string {
  const path = relative('.', file);
  return (path.startsWith('..') ? resolve(file) : path).replaceAll(sep, '/');
}

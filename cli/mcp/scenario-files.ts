import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parse } from 'yaml';
import { isScenarioFile } from '../../scenarios/index.ts';
import { StartError } from '../../shared/start-error.ts';
import { resolvePathInside } from './path-inside.ts';

/**
 * Returns the paths of the scenario files, relative to the folder. Each of `paths` names a scenario file, or a folder
 * with scenario files. The files that a scenario includes, and the file beside it with its stored values, must be
 * inside the folder too, after all links are resolved.
 * @throws StartError for a path outside of the folder, or if there is no scenario file
 */
export function findScenarioFilesInside(folder: string, paths: readonly string[]): string[] {
  const files = paths.flatMap((path) => {
    const real = resolvePathInside(folder, path);
    const stats = statSync(real, { throwIfNoEntry: false });
    if (!stats) throw new StartError(`${JSON.stringify(path)} does not exist`);
    if (stats.isFile()) return [real];
    const found = globSync(join(escapedGlob(real), '**/*.{yaml,yml}')).filter(isScenarioFile);
    return found.filter((file) => !/[\\/]node_modules[\\/]/.test(file)).sort();
  });
  if (files.length === 0) throw new StartError('there is no scenario');
  const seen = new Set<string>();
  for (const file of files) checkReads(folder, file, seen);
  return [...new Set(files)].map((file) => relative(process.cwd(), file) || file);
}

function escapedGlob(path: string): string {
  return path.replaceAll(/[*?[\]{}()!+@]/g, '[$&]');
}

function checkReads(folder: string, file: string, seen: Set<string>): void {
  const real = resolvePathInside(folder, file);
  if (seen.has(real)) return;
  seen.add(real);
  resolvePathInside(folder, file.replace(/\.ya?ml$/, '.stored.yaml'));
  for (const included of includesIn(real)) checkReads(folder, join(dirname(file), included), seen);
}

/**
 * Returns the files that a file includes. If the file is not YAML, returns none; the file is refused later, when it is
 * read as a scenario.
 */
function includesIn(file: string): string[] {
  const found: string[] = [];
  const look = (value: unknown, depth: number) => {
    if (typeof value !== 'object' || value === null || depth > 50) return;
    for (const [name, each] of Object.entries(value)) {
      if (name === 'include' && typeof each === 'string') found.push(each);
      look(each, depth + 1);
    }
  };
  try {
    look(parse(readFileSync(file, 'utf8')), 0);
  } catch {
    return [];
  }
  return found;
}

import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from 'rolldown/utils';

/**
 * Returns the tests that load a file. The tests in the file's own folder come first. Then come the other tests,
 * beginning with those that have the fewest imports between them and the file.
 */
export type FindRelatedTests = (path: string) => string[];

/** Reads which files of a project import which. The paths are relative to `root`. */
export function createRelatedTestsLookup(root: string, files: readonly string[]): FindRelatedTests {
  const importers = new Map<string, string[]>();
  for (const file of files)
    for (const target of importsOf(file, readFileSync(join(root, file), 'utf8')))
      importers.set(target, [...(importers.get(target) ?? []), file]);
  return (path) => {
    const reached = new Set([path]);
    // The loop also visits the files that it adds. So it finds all files that import `path`, directly or through other
    // files.
    for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
    const tests = [...reached].filter((file) => file.endsWith('.test.ts'));
    const isBeside = (test: string) => dirname(test) === dirname(path);
    return [...tests.filter(isBeside), ...tests.filter((test) => !isBeside(test))];
  };
}

function importsOf(file: string, source: string): string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, source).module;
  const loads = (entries: { isType: boolean }[]) =>
    entries.length === 0 || entries.some(({ isType }) => !isType);
  const targets = [
    ...staticImports.filter(({ entries }) => loads(entries)).map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ isType, moduleRequest }) => (isType || !moduleRequest ? [] : [moduleRequest.value])),
    ),
    ...dynamicImports.map(({ moduleRequest }) =>
      source.slice(moduleRequest.start + 1, moduleRequest.end - 1),
    ),
  ];
  return targets
    .filter((target) => target.startsWith('.'))
    .map((target) => normalize(join(dirname(file), target)));
}

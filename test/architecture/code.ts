import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Reads the product's files, and searches their text for the facts that the checks of ARCHITECTURE.md need. */

export const root = join(import.meta.dirname, '../..');
export const readProjectFile = (path: string) => readFileSync(join(root, path), 'utf8');

const filesIn = (rooms: string) =>
  globSync(`{${rooms}}/**/*.{ts,tsx}`, { cwd: root })
    .filter((path) => !/\.(test|fixture)\.ts$/.test(path))
    .sort()
    .map((path) => ({ path, text: readProjectFile(path) }));

/** The files of the gateway, the terminals and `shared/`. */
export const productFiles = filesIn('gateway,shared,terminal-emulator');

/** The files of every room (top-level folder of the product). */
export const allFiles = filesIn(
  'cli,client,console,explore,gateway,leading,scenarios,shared,stack,terminal-emulator,testing',
);

export const inFolder = (folder: string) => productFiles.filter(({ path }) => path.startsWith(`${folder}/`));

export function fileAt(path: string) {
  const file = productFiles.find((one) => one.path === path);
  if (!file) throw new Error(`there is no ${path}`);
  return file;
}

/** The files that call a function. */
export const callersOf = (name: string) =>
  productFiles
    .filter(({ text }) => new RegExp(`(?<!function |class )\\b${name}(?:<\\w+>)?\\(`).test(text))
    .map(({ path }) => path);

/** Returns the modules that a file needs at run time. It leaves out modules from which the file imports only types. */
export function findRuntimeImports({ path, text }: { path: string; text: string }): string[] {
  const found = text.matchAll(/^import (?!type )(?:(\{[^}]*\})|[^'{]*)(?: from)? ?'([^']+)'/gm);
  return Array.from(found)
    .filter(([, names]) => !names || /[{,]\s*(?!type\b)\w/.test(names.replace(/,\s*\}/, '}')))
    .map(([, , target = '']) => (target.startsWith('.') ? normalize(join(dirname(path), target)) : target));
}

/**
 * Returns all files that are loaded together with a file, because the file imports them directly or through other
 * files.
 */
export function loadedWith(path: string, loaded = new Set<string>()): Set<string> {
  const file = productFiles.find((one) => one.path === path);
  if (!file || loaded.has(path)) return loaded;
  loaded.add(path);
  const passedOn = file.text.matchAll(/^export (?!type )\{[^}]*\} from '(\.[^']+)'/gm);
  const more = Array.from(passedOn, ([, target = '']) => normalize(join(dirname(path), target)));
  for (const target of [...findRuntimeImports(file), ...more]) loadedWith(target, loaded);
  return loaded;
}

/**
 * Returns the files that insert into a table, update it, or delete from it. There is one list of files for each of
 * these three operations.
 */
export function writers(table: string): Record<string, string[]> {
  const verbs = {
    insert: new RegExp(`insert: '${table}'|insertInto\\('${table}'|into "?${table}\\b`, 'i'),
    update: new RegExp(`update: '${table}'|updateTable\\('${table}'|\`\\s*update "?${table}\\b`, 'i'),
    delete: new RegExp(`delete: '${table}'|deleteFrom\\('${table}'|delete from "?${table}\\b`, 'i'),
  };
  return Object.fromEntries(
    Object.entries(verbs).map(([verb, pattern]) => [
      verb,
      productFiles
        .filter(({ path, text }) => !path.includes('/migrations/') && pattern.test(text))
        .map(({ path }) => path),
    ]),
  );
}

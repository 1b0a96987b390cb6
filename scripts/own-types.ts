import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const nodeModules = join(import.meta.dirname, '../node_modules');

/** The files with the types of bundled packages. The keys are the names that imports use. */
const bundled: Record<string, string> = {
  zod: 'zod/index.d.ts',
  kysely: 'kysely/dist/index.d.ts',
  'kysely/migration': 'kysely/dist/migration/index.d.ts',
  'openapi-fetch': 'openapi-fetch/dist/index.d.mts',
  'openapi-typescript-helpers': 'openapi-typescript-helpers/dist/index.d.mts',
};

const imports = /((?:from|import)\s*\(?\s*["'])([^"'\n]+)(["'])/g;

/**
 * Removes the files with types in `dist` that the entries do not need. Copies the types of bundled packages into
 * `dist/types`, so that users need not install these packages. Returns the files of other packages that were copied.
 */
export function pruneAndCopyTypes(dist: string, entries: readonly string[]): string[] {
  /** For each file in `dist/types`, the original file in another package. */
  const sourceOf = new Map<string, string>();
  /** The files that the entries need, directly or not. */
  const reached = new Set<string>();
  const queue = entries.map((entry) => join(dist, entry));
  for (const file of queue) {
    if (reached.has(file)) continue;
    reached.add(file);
    const source = sourceOf.get(file) ?? file;
    const text = readFileSync(source, 'utf8').replace(imports, (all, before, name: string, after) => {
      const target = targetOf(name, source);
      if (target === undefined) return all;
      const place = target.startsWith(nodeModules) ? inTypes(target, dist) : target;
      if (place !== target) sourceOf.set(place, target);
      queue.push(place);
      return name.startsWith('.') ? all : `${before}${importable(relative(dirname(file), place))}${after}`;
    });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  for (const file of globSync('**/*.d.ts', { cwd: dist }))
    if (!reached.has(join(dist, file))) rmSync(join(dist, file));
  return [...sourceOf.values()];
}

/**
 * Returns the file with the types for an import; undefined if the import names a package that is installed separately.
 */
function targetOf(name: string, source: string): string | undefined {
  const own = bundled[name];
  if (own !== undefined) return join(nodeModules, own);
  if (!name.startsWith('.')) return undefined;
  const bare = join(dirname(source), name).replace(/(\.d)?\.[cm]?[jt]s$/, '');
  return [`${bare}.d.ts`, `${bare}.d.mts`, join(bare, 'index.d.ts')].find((file) => existsSync(file));
}

function inTypes(target: string, dist: string): string {
  return join(dist, 'types', relative(nodeModules, target));
}

function importable(path: string): string {
  const file = path.replace(/\.d\.(m?)ts$/, '.$1js');
  return file.startsWith('.') ? file : `./${file}`;
}

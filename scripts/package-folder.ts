import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installedWith } from './bundle.ts';
import { licenseTexts } from './license-texts.ts';
import { ownTypes } from './own-types.ts';

const root = join(import.meta.dirname, '..');

/** The package as it is published: what is packed, released and tried out is this folder. */
export const packageFolder = join(root, 'build/package');

/** What is in it as it is in a clone. */
const copied = [
  ...['bin/**/*', 'deploy/*', 'docs/**/*', 'examples/**/*'],
  ...['scenarios/**/*.yaml', 'scenarios/scenario.schema.json'],
  ...['AGENTS.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md'],
];

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly [field: string]: unknown;
}

/** What the package's own manifest has of the clone's. */
const kept = ['name', 'version', 'description', 'license', 'type', 'engines', 'bin'];
const keptLast = ['peerDependencies', 'peerDependenciesMeta', 'exports'];

/** Makes the folder anew from the bundle in dist/, which was made of the files `bundled`. Gives all files that its own were made of. */
export function makePackageFolder(bundled: readonly string[]): string[] {
  rmSync(packageFolder, { recursive: true, force: true });
  const dist = join(packageFolder, 'dist');
  const note = join(root, 'dist/sources.json');
  cpSync(join(root, 'dist'), dist, { recursive: true, filter: (path) => path !== note });
  compileTypes(dist);
  const types = ownTypes(
    dist,
    ['testing/index', 'testing/vitest', 'client/index'].map((entry) => `${entry}.d.ts`),
  );
  const madeOf = [...bundled, ...types];
  writeFileSync(join(dist, 'third-party-licenses.txt'), licenseTexts(madeOf, join(root, 'node_modules')));
  for (const file of filesOf(copied)) {
    mkdirSync(dirname(join(packageFolder, file)), { recursive: true });
    cpSync(join(root, file), join(packageFolder, file));
  }
  writeManifest(packageFolder);
  return madeOf;
}

/** The package.json of the package: without what is bundled, and without what builds and tests. */
export function writeManifest(folder: string): void {
  const all = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const pick = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, all[name]]));
  const dependencies = Object.fromEntries(
    Object.entries(all.dependencies).filter(([name]) => installedWith.includes(name)),
  );
  const manifest = { ...pick(kept), dependencies, ...pick(keptLast) };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Those that a clone keeps: no installed dependencies of an example, and nothing that it wrote. */
function filesOf(patterns: string[]): string[] {
  return globSync(patterns, { cwd: root, withFileTypes: true, exclude: (entry) => notOurs.has(entry.name) })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
const notOurs = new Set(['node_modules', '.pinpad', 'coverage', 'package-lock.json', '__pycache__']);

function compileTypes(dist: string): void {
  const args = ['--no-install', 'tsc', '-p', 'tsconfig.build.json', '--outDir', dist];
  const { status } = spawnSync('npx', args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('the compiler writes no types');
}

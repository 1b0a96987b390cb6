import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sourcesNoteFile } from '../bin/clone-bundle.js';
import { unbundledPackages } from './bundle.ts';
import { collectLicenseTexts } from './license-texts.ts';
import { pruneAndCopyTypes } from './own-types.ts';

const root = join(import.meta.dirname, '..');

/** The folder of the built package. This folder is packed, released and tested. */
export const packageFolder = join(root, 'build/package');

/** Files that are copied from the clone to the package without changes. */
const copied = [
  ...['bin/pinpad.js', 'deploy/*', 'docs/**/*', 'examples/**/*'],
  ...['scenarios/**/*.yaml', 'scenarios/scenario.schema.json'],
  ...['AGENTS.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md'],
];

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly [field: string]: unknown;
}

/** The fields that are copied from the clone's package.json to the package's. */
const kept = ['name', 'version', 'description', 'license', 'type', 'engines', 'bin'];
const keptLast = ['peerDependencies', 'peerDependenciesMeta', 'exports'];

/**
 * Deletes the package's folder and makes it again from the bundle in dist/. `bundled` are the source files of that
 * bundle. Returns `bundled` and the type files of other packages that were copied into the folder.
 */
export function makePackageFolder(bundled: readonly string[]): string[] {
  rmSync(packageFolder, { recursive: true, force: true });
  const dist = join(packageFolder, 'dist');
  const note = join(root, 'dist', sourcesNoteFile);
  cpSync(join(root, 'dist'), dist, { recursive: true, filter: (path) => path !== note });
  compileTypes(dist);
  const types = pruneAndCopyTypes(
    dist,
    ['testing/index', 'testing/vitest', 'client/index'].map((entry) => `${entry}.d.ts`),
  );
  const madeOf = [...bundled, ...types];
  writeFileSync(
    join(dist, 'third-party-licenses.txt'),
    collectLicenseTexts(madeOf, join(root, 'node_modules')),
  );
  for (const file of filesOf(copied)) {
    mkdirSync(dirname(join(packageFolder, file)), { recursive: true });
    cpSync(join(root, file), join(packageFolder, file));
  }
  writeManifest(packageFolder);
  return madeOf;
}

/**
 * Writes the package.json of the package. It names neither the bundled packages nor the packages that are needed only
 * to build and test.
 */
export function writeManifest(folder: string): void {
  const all = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const pick = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, all[name]]));
  const dependencies = Object.fromEntries(
    Object.entries(all.dependencies).filter(([name]) => unbundledPackages.includes(name)),
  );
  const manifest = { ...pick(kept), dependencies, ...pick(keptLast) };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Returns the files that match these patterns. Leaves out dependencies that were installed for an example, and files
 * that an example wrote.
 */
function filesOf(patterns: string[]): string[] {
  return globSync(patterns, { cwd: root, withFileTypes: true, exclude: (entry) => notOurs.has(entry.name) })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
const notOurs = new Set(['node_modules', '.pinpad', 'coverage', 'package-lock.json', '__pycache__']);

function compileTypes(dist: string): void {
  const args = ['--no-install', 'tsc', '-p', 'tsconfig.build.json', '--outDir', dist];
  const { status } = spawnSync('npx', args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('the compiler wrote no types');
}

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from './package-folder.ts';

const root = join(import.meta.dirname, '..');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Record<string, string>;
}
const read = (place: string) => JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Manifest;

/**
 * Packs one archive for an offline install. The archive has the built package and its dependencies
 * (`bundledDependencies`), in the versions that this clone's tests use. Returns the name of the archive.
 */
export function packOffline(destination: string): string {
  const folder = join(root, 'build/offline');
  rmSync(folder, { recursive: true, force: true });
  cpSync(packageFolder, folder, { recursive: true });
  const manifest = read(folder);
  const names = packagesNeededBy(Object.keys(manifest.dependencies ?? {}));
  for (const name of names) {
    mkdirSync(join(folder, 'node_modules', name), { recursive: true });
    cpSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true });
  }
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify({ ...manifest, bundledDependencies: names }, null, 2)}\n`,
  );
  const made = join(root, 'build');
  const archive = `${manifest.name}-${manifest.version}-offline.tgz`;
  renameSync(join(made, npmPack(folder, made)), join(destination, archive));
  return archive;
}

/** Packs a folder into an archive in `destination`, and returns the archive's name. */
export function npmPack(folder: string, destination: string): string {
  const made = execFileSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', destination],
    {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 100_000_000,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [{ filename }] = JSON.parse(made) as [{ filename: string }];
  return filename;
}

/**
 * Returns these packages and all packages that they need. Leaves out a package that is inside another package's folder,
 * because it is copied together with that folder.
 */
export function packagesNeededBy(direct: readonly string[]): string[] {
  const found = new Set(direct);
  for (const name of found) {
    const place = join(root, 'node_modules', name);
    // The outer loop also visits the packages that are added to `found` here.
    for (const needed of Object.keys(read(place).dependencies ?? {}))
      if (!existsSync(join(place, 'node_modules', needed))) found.add(needed);
  }
  return [...found].sort();
}

import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type LockedPackage, makeBillOfMaterials } from './bill-of-materials.ts';
import { rebuildDist, unbundledPackages } from './bundle.ts';
import { formatChecksumFile } from './checksums.ts';
import { findPackageFolders } from './license-texts.ts';
import { npmPack, packagesNeededBy, packOffline } from './offline-archive.ts';
import { makePackageFolder, packageFolder } from './package-folder.ts';
import { makeSingleFile } from './single-file/make-single-file.ts';
import { trySingleFile } from './single-file/try-single-file.ts';

/**
 * Makes the files of a release: the package, the archive for an offline install, the bill of materials (SBOM) of each
 * of the two, and the checksums of all files.
 */
const root = join(import.meta.dirname, '..');
const folder = join(root, 'build/release');
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

const files = makePackageFolder(await rebuildDist());
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const made = [npmPack(packageFolder, folder), packOffline(folder), writeBill()];
if (process.platform === 'linux' && process.arch === 'x64') made.push(await singleFile());
writeFileSync(join(folder, 'SHA256SUMS'), formatChecksumFile(folder, made));
for (const file of made) console.log(`${file}: ${(statSync(join(folder, file)).size / 1e6).toFixed(1)} MB`);

async function singleFile(): Promise<string> {
  const file = makeSingleFile(folder, read(join(packageFolder, 'package.json')).version);
  const seconds = Object.entries(await trySingleFile(join(folder, file)));
  console.log(
    `payments with ${file}: ${seconds.map(([start, each]) => `${start} ${each.toFixed(1)} s`).join(', ')}`,
  );
  return file;
}

function writeBill(): string {
  const { packages } = read(join(root, 'package-lock.json')) as { packages: Record<string, LockedPackage> };
  const manifest = read(join(packageFolder, 'package.json'));
  const besides = packagesNeededBy(unbundledPackages).map((name) => `node_modules/${name}`);
  const parts = {
    bundled: findPackageFolders(files, join(root, 'node_modules')).map((place) => relative(root, place)),
    installed: Object.keys(packages).filter((place) =>
      besides.some((name) => place === name || place.startsWith(`${name}/node_modules/`)),
    ),
  };
  const file = `${manifest.name}-${manifest.version}.cdx.json`;
  writeFileSync(
    join(folder, file),
    `${JSON.stringify(makeBillOfMaterials(manifest, parts, packages), null, 2)}\n`,
  );
  return file;
}

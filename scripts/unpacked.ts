import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findFreshBundleFolder, markBundleInUse, unpublishedFileNames } from '../bin/clone-bundle.js';
import { writeManifest } from './package-folder.ts';

/**
 * Makes the package in an empty folder: `node scripts/unpacked.ts FOLDER`. The folder is like an installed package, but
 * has no types.
 */
const root = join(import.meta.dirname, '..');
const [folder = ''] = process.argv.slice(2);
const dist = join(folder, 'dist');
const made = findFreshBundleFolder(root);
if (made && markBundleInUse(root, made)) {
  const left = unpublishedFileNames.map((name) => join(root, made, name));
  cpSync(join(root, made), dist, { recursive: true, filter: (path) => !left.includes(path) });
} else await (await import('./bundle.ts')).bundle(dist);
for (const file of ['bin/pinpad.js', 'docs'])
  cpSync(join(root, file), join(folder, file), { recursive: true });
writeManifest(folder);
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));

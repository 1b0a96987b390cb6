import { cpSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { writeManifest } from './package-folder.ts';

/**
 * Makes the package in an empty folder as npm would install it, but without its types: `node scripts/unpacked.ts
 * FOLDER`.
 */
const root = join(import.meta.dirname, '..');
const [folder = ''] = process.argv.slice(2);
const [made, dist] = [join(root, 'dist'), join(folder, 'dist')];
if (isCurrent())
  cpSync(made, dist, { recursive: true, filter: (path) => path !== join(made, 'sources.json') });
else await (await import('./bundle.ts')).bundle(dist);
for (const file of ['bin', 'docs']) cpSync(join(root, file), join(folder, file), { recursive: true });
writeManifest(folder);
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));

/**
 * Whether dist/ is up to date, for example made by `npm ci` (scripts/bundle.ts): neither a source nor the bundling code
 * has changed since.
 */
function isCurrent(): boolean {
  const changedAt = (file: string) => statSync(join(root, file)).mtimeMs;
  try {
    const sources = JSON.parse(readFileSync(join(made, 'sources.json'), 'utf8')) as Record<string, number>;
    const scripts = readdirSync(join(root, 'scripts')).map((file) => `scripts/${file}`);
    return (
      Object.entries(sources).every(([file, atMs]) => changedAt(file) === atMs) &&
      ['console/page-files.ts', ...scripts].every((file) => changedAt(file) < changedAt('dist/sources.json'))
    );
  } catch {
    return false; // there is no bundle
  }
}

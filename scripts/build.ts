import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleAnew } from './bundle.ts';
import { licenseTexts } from './license-texts.ts';

/** Builds dist/ as it is published: the bundled entry points, with the compiler's types beside them. */
const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

const bundled = await bundleAnew();
writeFileSync(join(dist, 'third-party-licenses.txt'), licenseTexts(bundled, join(root, 'node_modules')));

const compiled = spawnSync('npx', ['--no-install', 'tsc', '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(compiled.status ?? 1);

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

/** Compiles the sources to dist/, as they are published. */
const root = join(import.meta.dirname, '..');
rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiled = spawnSync('npx', ['--no-install', 'tsc', '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
process.exit(compiled.status ?? 1);

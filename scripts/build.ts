import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Compiles the sources to dist/, as they are published. */
const root = join(import.meta.dirname, '..');
rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiled = spawnSync('npx', ['--no-install', 'tsc', '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
// Read as text and put into the page of a trace, so the compiler does not know them.
cpSync(join(root, 'scenarios/trace/page'), join(root, 'dist/scenarios/trace/page'), { recursive: true });
for (const folder of ['gateway/credits/page/assets', 'gateway/docs-page/assets'])
  cpSync(join(root, folder), join(root, 'dist', folder), { recursive: true });
// Copied, so that users of the package get no package more: docs/decisions/0003.
for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE'])
  cpSync(join(root, 'node_modules/swagger-ui-dist', file), join(root, 'dist/gateway/docs-page/assets', file));
process.exit(compiled.status ?? 1);

import { spawnSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { licenseTexts } from './license-texts.ts';

/**
 * Builds dist/ as it is published: the entry points and all they import bundled into a few files, since loading
 * hundreds of modules is most of what a start takes (docs/decisions/0011), with the compiler's types beside them.
 */
const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const entries = ['cli/main', 'client/index', 'testing/index', 'testing/vitest'];
/** Installed with the package: native code, what finds its files by their place, and what only some starts need. */
const external = ['better-sqlite3', 'blessed', 'serialport', 'vitest', 'yaml'];

rmSync(dist, { recursive: true, force: true });
const { output } = await build({
  input: Object.fromEntries(entries.map((entry) => [entry, join(root, `${entry}.ts`)])),
  platform: 'node',
  external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [keepFolders()],
  output: { dir: dist, format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js', comments: false },
});
const bundled = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
writeFileSync(join(dist, 'third-party-licenses.txt'), licenseTexts(bundled, join(root, 'node_modules')));

const compiled = spawnSync('npx', ['--no-install', 'tsc', '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});

for (const folder of ['scenarios/trace/page', 'gateway/credits/page/assets', 'gateway/docs-page/assets'])
  cpSync(join(root, folder), join(dist, folder), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts'),
  });
// Copied, so that users of the package get no package more: docs/decisions/0003.
for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE'])
  cpSync(join(root, 'node_modules/swagger-ui-dist', file), join(dist, 'gateway/docs-page/assets', file));
process.exit(compiled.status ?? 1);

/** A module that reads files beside it finds them where they are in the sources: every bundled file is one folder deep. */
function keepFolders(): Plugin {
  return {
    name: 'keep-folders',
    transform(code, id) {
      if (!id.startsWith(root) || !code.includes('import.meta.')) return;
      const folder = relative(root, dirname(id));
      if (folder.startsWith('node_modules')) return;
      return code
        .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/../${folder}`)})`)
        .replaceAll('import.meta.url', `new URL(${JSON.stringify(`../${folder}/`)}, import.meta.url).href`);
    },
  };
}

import { cpSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { bundlePage, pageNames } from '../console/index.ts';
import { leaveOut } from './leave-out.ts';
import { loadLate } from './load-late.ts';

const root = join(import.meta.dirname, '..');
const entries = [
  ...['cli/main', 'client/index', 'testing/index', 'testing/vitest'],
  ...['shared/database/sqlite-worker', 'cli/console/scenario-worker'], // the programs of threads
];
/** Installed with the package: native code, what finds its files by their place, and what only some starts need. */
const external = ['better-sqlite3', 'blessed', 'rolldown', 'serialport', 'vitest', 'yaml'];

/**
 * Bundles the entry points and all they import into a few files of the folder `dist`, with the files they read: loading
 * hundreds of modules is most of what a start takes (docs/decisions/0011). Gives the modules that are in it.
 */
export async function bundle(dist: string): Promise<string[]> {
  const { output } = await build({
    input: Object.fromEntries(entries.map((entry) => [entry, join(root, `${entry}.ts`)])),
    platform: 'node',
    external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [keepFolders(), leaveOut(), loadLate()],
    output: { dir: dist, format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js', comments: false },
  });
  copyFiles(dist);
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  for (const name of pageNames) {
    const page = await bundlePage(name);
    writeFileSync(join(dist, `console/page/${name}.js`), page.script);
    modules.push(...page.modules);
  }
  return modules;
}

function copyFiles(dist: string): void {
  for (const folder of ['gateway/credits/page/assets', 'gateway/docs-page/assets', 'console/page/styles'])
    cpSync(join(root, folder), join(dist, folder), {
      recursive: true,
      filter: (path) => !path.endsWith('.ts'),
    });
  // Copied, so that users of the package get no package more: docs/decisions/0003.
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE'])
    cpSync(join(root, 'node_modules/swagger-ui-dist', file), join(dist, 'gateway/docs-page/assets', file));
}

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

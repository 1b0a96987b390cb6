import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { latestBundleNoteFile, sourcesNoteFile } from '../bin/clone-bundle.js';
import { bundlePage, pageNames } from '../console/index.ts';
import { scriptChunksPlugin } from './as-scripts.ts';
import { makeChunkGroups } from './chunks.ts';
import { asciiOutputPlugin } from './in-ascii.ts';
import { leaveOutPackagesPlugin } from './leave-out.ts';
import { lateLoadingPlugin } from './load-late.ts';
import { nodeImportsPlugin } from './node-builtins.ts';
import { readFolderChangeTimeMs, writeSourcesNote } from './note-sources.ts';
import { precomputeModulesPlugin } from './precompute-modules.ts';

const root = join(import.meta.dirname, '..');
const entries = [
  ...['cli/main', 'client/index', 'testing/index', 'testing/vitest'],
  // Programs that run in threads.
  ...['shared/database/sqlite-worker', 'cli/console/scenario-worker'],
  ...['scenarios/threads/scenario-thread', 'cli/explore/explore-thread'],
  'terminal-emulator/readers/pcsc/pcsc-program', // this program runs as a process
  'scripts/run-compiled',
];
/**
 * Packages that are installed with pinpad and not bundled. They have native code, or look for files beside their own
 * code, or are needed only for some starts.
 */
export const unbundledPackages: readonly string[] = [
  ...['better-sqlite3', 'blessed', 'fastest-levenshtein'],
  ...['serialport', 'yaml'],
];

/**
 * Packages that are never in the bundle. In addition to the unbundled packages, these are `rolldown`, which only a
 * clone has, and `vitest`, which users install themselves.
 */
const external = [...unbundledPackages, 'rolldown', 'vitest'];

/**
 * Deletes dist/ and makes it again. Writes a note about the sources into dist/. With this note, a clone runs dist/
 * until one of the sources changes (bin/pinpad.js). Resolves to the files from which dist/ was made.
 */
export async function rebuildDist(): Promise<string[]> {
  const dist = join(root, 'dist');
  for (const path of [join(dist, sourcesNoteFile), dist]) rmSync(path, { recursive: true, force: true });
  mkdirSync(dist);
  const beganAt = readFolderChangeTimeMs(dist);
  const files = await bundle(dist);
  writeSourcesNote(dist, files, beganAt);
  rmSync(join(root, latestBundleNoteFile), { force: true });
  return files;
}

/**
 * Bundles the entry points and all modules that they import into a few files in the folder `dist`. Also copies the
 * files that these modules read. Without a bundle, a start would spend most of its time on loading hundreds of modules
 * (docs/decisions/0011). Resolves to the files that are in the bundle.
 */
export async function bundle(dist: string): Promise<string[]> {
  const files = copyFiles(dist);
  const { noteImports, groups } = makeChunkGroups();
  await build({
    input: Object.fromEntries(entries.map((entry) => [entry, join(root, `${entry}.ts`)])),
    platform: 'node',
    external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [
      ...[
        keepFolders(),
        leaveOutPackagesPlugin(),
        lateLoadingPlugin(),
        precomputeModulesPlugin(),
        nodeImportsPlugin(),
      ],
      ...[noteImports, noteFiles(files), asciiOutputPlugin(), scriptChunksPlugin()],
    ],
    output: {
      dir: dist,
      format: 'esm',
      chunkFileNames: 'chunks/[name]-[hash].js',
      comments: false,
      codeSplitting: { groups },
    },
  });
  for (const name of pageNames) {
    const page = await bundlePage(name);
    writeFileSync(join(dist, `console/page/${name}.js`), page.script);
    files.push(...page.modules);
  }
  return files.filter((file) => isAbsolute(file)); // leaves out Node's modules and the modules of plugins
}

/**
 * Makes a plugin that notes all modules. It also notes modules whose code is not in the bundle, for example modules
 * that only export other modules. After a change, the bundle may need code of such a module.
 */
function noteFiles(files: string[]): Plugin {
  return {
    name: 'note-files',
    buildEnd() {
      files.push(...this.getModuleIds());
    },
  };
}

function copyFiles(dist: string): string[] {
  const copied: string[] = [];
  const isCopied = (path: string) => !path.endsWith('.ts') && copied.push(path) > 0;
  const assets = ['gateway/credits/page/assets', 'gateway/docs-page/assets', 'console/page/styles'];
  for (const folder of [...assets, 'leading/preload'])
    cpSync(join(root, folder), join(dist, folder), { recursive: true, filter: isCopied });
  // These files are copied so that users need not install the package `swagger-ui-dist` (docs/decisions/0003).
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE'])
    cpSync(join(root, 'node_modules/swagger-ui-dist', file), join(dist, 'gateway/docs-page/assets', file), {
      filter: isCopied,
    });
  return copied;
}

/**
 * Makes a plugin that corrects paths, so that a bundled module still finds the files beside its source. Every file of
 * the bundle is in a folder directly below `dist`.
 */
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

import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { memoize } from '../shared/memoize.ts';

const folder = join(import.meta.dirname, 'page');

/** The programs that a browser runs, and the style sheets of each program. Later sheets override earlier ones. */
const pages = {
  console: {
    input: 'main.tsx',
    styles: ['base', 'shell', 'terminals', 'traffic', 'records', 'sales', 'trouble'],
  },
  /** A trace file contains its own program and styles, so this list has only the style sheets that a trace needs. */
  trace: { input: 'trace/main.tsx', styles: ['base', 'traffic'] },
} as const;
/** The message if a clone of the repository has no bundler, because its development dependencies are missing. */
const notMade =
  'This page needs the development dependencies: run npm ci --include=dev in your clone of the repository';
type PageName = keyof typeof pages;
export const pageNames = Object.keys(pages) as PageName[];

/**
 * The style and the script of a page. The page is the console, a trace in a file, or the trace of a running gateway.
 */
interface PageFiles {
  readonly style: string;
  readonly script: string;
}

/**
 * Returns the style and the script of a page. Makes each page's style and script only once. A built package has the
 * scripts as files. Without such a file, the script is bundled from the sources, which takes a tenth of a second.
 */
export const loadPageStyleAndScript = memoize(async (name: PageName): Promise<PageFiles> => {
  const sheets = pages[name].styles.map((sheet) => readFileSync(join(folder, `styles/${sheet}.css`), 'utf8'));
  const style = sheets
    .join('')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ');
  const built = join(folder, `${name}.js`);
  const script = existsSync(built) ? await readFile(built, 'utf8') : (await bundlePage(name)).script;
  return { style, script };
});

/** Bundles everything that a page runs into one script. Returns the script and the names of its source files. */
export async function bundlePage(name: PageName): Promise<{ script: string; modules: string[] }> {
  const bundler = await import('rolldown').catch(() => undefined);
  if (!bundler) return { script: `document.getElementById('app').textContent = '${notMade}'`, modules: [] };
  const { build } = bundler;
  const { output } = await build({
    input: join(folder, pages[name].input),
    platform: 'browser',
    write: false,
    logLevel: 'silent',
    plugins: [decimalsAlone()],
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' }, target: 'es2022' },
    output: { format: 'iife', minify: true, comments: false },
  });
  const [{ code, moduleIds }] = output;
  return { script: code, modules: moduleIds };
}

/**
 * Removes everything but the decimals from the list of currencies. The names and countries would make up a third of a
 * trace's program.
 */
function decimalsAlone(): Plugin {
  return {
    name: 'decimals-alone',
    transform(code, id) {
      if (!id.endsWith('/currency-codes/data.js')) return;
      return code.replaceAll(/"(number|currency)": ".*",|"countries": \[[\s\S]*?\n {4}\]/g, '');
    },
  };
}

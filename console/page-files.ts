import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'page');

/** In the order in which they count: later ones stand above. */
const styles = ['base', 'shell', 'terminals', 'traffic', 'records', 'trouble'];

/** Style and script of the pages that are drawn in a browser: the console, a trace file, a live trace. */
interface PageFiles {
  readonly style: string;
  readonly script: string;
}

let made: Promise<PageFiles> | undefined;

/** Made once: read where the package was built, else bundled from the sources, which takes a tenth of a second. */
export function pageFiles(): Promise<PageFiles> {
  made ??= makeFiles();
  return made;
}

async function makeFiles(): Promise<PageFiles> {
  const style = styles.map((name) => readFileSync(join(folder, `styles/${name}.css`), 'utf8')).join('\n');
  const script = await readFile(join(folder, 'page.js'), 'utf8').catch(
    async () => (await bundlePage()).script,
  );
  return { style, script };
}

/** All that the page runs as one script, and the files it was made of. */
export async function bundlePage(): Promise<{ script: string; modules: string[] }> {
  const { build } = await import('rolldown'); // in a clone it is there, as the compiler is
  const { output } = await build({
    input: join(folder, 'main.tsx'),
    platform: 'browser',
    write: false,
    logLevel: 'silent',
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' }, target: 'es2022' },
    output: { format: 'iife', minify: true, comments: false },
  });
  const [{ code, moduleIds }] = output;
  return { script: code, modules: moduleIds };
}

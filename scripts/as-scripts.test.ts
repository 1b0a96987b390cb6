import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scriptChunksPlugin } from './as-scripts.ts';
import { asciiOutputPlugin } from './in-ascii.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-scripts-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/**
 * Bundles a command that imports the chunk `stack`, and turns `stack` into a script. Resolves to the exports of the
 * command.
 */
async function bundled(stack: string): Promise<Record<string, unknown>> {
  const sources = {
    'other.ts': 'export const numbers = { seven: 7 };',
    'stack.ts': stack,
    'main.ts': `export * from './stack.ts'`,
  };
  for (const [name, code] of Object.entries(sources)) writeFileSync(join(folder, name), code);
  await build({
    input: {
      'cli/main': join(folder, 'main.ts'),
      'cli/other': join(folder, 'other.ts'),
      'scripts/run-compiled': join(import.meta.dirname, 'run-compiled.ts'),
    },
    platform: 'node',
    plugins: [asciiOutputPlugin(), scriptChunksPlugin()],
    output: {
      dir: join(folder, 'dist'),
      comments: false,
      chunkFileNames: 'chunks/[name]-[hash].js',
      codeSplitting: {
        groups: [{ name: 'stack', test: /stack\.ts$/, includeDependenciesRecursively: false }],
      },
    },
    preserveEntrySignatures: 'allow-extension',
  });
  return import(pathToFileURL(join(folder, 'dist/cli/main.js')).href);
}

test('a script imports, exports, loads later and knows its place like the module', async () => {
  const exported = await bundled(`
    import { numbers } from './other.ts';
    export const fortyTwo = numbers.seven * 6;
    export const price = () => '1 € 💳'.match(/[€]|💳/gu);
    export const place = import.meta.dirname;
    export const later = async () => (await import('./other.ts')).numbers.seven;
  `);
  const { fortyTwo, price, place, later } = exported as Record<string, () => unknown>;
  expect(fortyTwo).toBe(42);
  expect(price?.()).toEqual(['€', '💳']);
  expect(place).toBe(join(folder, 'dist/chunks'));
  expect(await later?.()).toBe(7);
  expect(readdirSync(join(folder, 'dist/chunks'))).toContainEqual(
    expect.stringMatching(/^stack-.*\.script\.js$/),
  );
});

test('a value that changes later is not exported, because importers would not see the change', async () => {
  const changing = 'export let count = 0; export const increase = () => { count++; };';
  await expect(bundled(changing)).rejects.toThrow('must not export variables that may change: count');
});

test('text that an escape would change is refused', async () => {
  await expect(bundled('export const text = String.raw`€`;')).rejects.toThrow(
    'would change the meaning of this code',
  );
});

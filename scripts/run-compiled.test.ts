import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const script = `(function (__meta, factor) {
"use strict";
const times = (value) => ({ product: value * factor }).product;
return { times };
})`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-compiled-'));
  writeFileSync(join(folder, 'chunk.script.js'), script);
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the script as a command would run it. After that, runs the code in `then`. Returns the output. */
function run(then = '', command = 'up'): string {
  const module = JSON.stringify(new URL('./run-compiled.ts', import.meta.url).href);
  const program = `const { runCompiled } = await import(${module});
    const { times } = runCompiled('${join(folder, 'chunk.script.js')}', [import.meta, 7]);
    console.log(times(6));
    ${then}`;
  writeFileSync(join(folder, 'program.mjs'), program);
  return execFileSync(process.execPath, [join(folder, 'program.mjs'), command], {
    encoding: 'utf8',
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'cache') },
  });
}

function kept(): string[] {
  const files = readdirSync(join(folder, 'cache'), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.includes('pinpad-')).map((file) => join(folder, 'cache', file));
}

test('a run keeps its compiled code, including functions that it compiled on their first call', () => {
  expect(run()).toBe('42\n');
  const [file = ''] = kept();
  expect(file).toMatch(/pinpad-chunk\.script\.js-up$/);
  expect(readFileSync(file, 'latin1')).toContain('product');
  const before = readFileSync(file);
  expect(run()).toBe('42\n');
  expect(readFileSync(file)).toEqual(before);
});

test('compiled code that V8 refuses is made again', () => {
  run();
  const [file = ''] = kept();
  const good = readFileSync(file);
  writeFileSync(file, 'of another V8');
  expect(run()).toBe('42\n');
  expect(readFileSync(file).length).toBe(good.length);
});

test('a run that fails keeps no compiled code, because it has hardly called the usual functions', () => {
  expect(() => run('process.exitCode = 2;')).toThrow('Command failed');
  expect(kept()).toEqual([]);
});

test('each command keeps its own compiled code, and --help counts as a command', () => {
  run('', 'up');
  run('', 'gateway');
  run('', '--help');
  expect(
    kept()
      .map((file) => file.split('-').at(-1))
      .sort(),
  ).toEqual(['gateway', 'help', 'up']);
});

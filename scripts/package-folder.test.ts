import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildPackageOnce } from '../test/built-package.ts';
import { collectLicenseTexts } from './license-texts.ts';

interface Manifest {
  readonly private?: boolean;
  readonly dependencies: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
  readonly scripts?: Record<string, string>;
  readonly exports: Record<string, unknown>;
}

const read = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
const clone = read(join(import.meta.dirname, '..'));

/**
 * The packages that a bundle loads only if they are installed: faster drivers, and the bundler that makes the console's
 * pages in a clone.
 */
const loadedIfThere = ['pg-native', 'rolldown', 'utf-8-validate'];

test('the package depends on what its bundle loads, and not on what is bundled', () => {
  const { dependencies, peerDependencies } = read(buildPackageOnce());
  const needed = importsOf(join(buildPackageOnce(), 'dist')).filter((name) => !loadedIfThere.includes(name));
  expect(needed).toEqual([...Object.keys(dependencies), ...Object.keys(peerDependencies)].sort());
});

test('the package has no names for building and testing, and exports what the clone exports', () => {
  const made = read(buildPackageOnce());
  expect(made.devDependencies ?? made.scripts ?? made.private).toBeUndefined();
  expect(made.exports).toEqual(clone.exports);
});

test('the licence list has all packages in a bundle, including a package inside another', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-licences-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const modules = ['ones', '@scope/two', 'ones/node_modules/three'].map((name) => {
    const place = join(folder, 'node_modules', name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), JSON.stringify({ name, version: '1.0.0', license: 'MIT' }));
    writeFileSync(join(place, 'LICENCE.txt'), `text of ${name}`);
    return join(place, 'index.js');
  });
  const texts = collectLicenseTexts([...modules, join(folder, 'cli/main.ts')], join(folder, 'node_modules'));
  for (const name of ['ones', '@scope/two', 'ones/node_modules/three'])
    expect(texts).toContain(`${name} 1.0.0 (MIT)\n\ntext of ${name}\n`);
});

/** Returns the packages that the JavaScript of a bundle loads by name. */
function importsOf(dist: string): string[] {
  const files = globSync('{chunks,cli,client,shared,testing,terminal-emulator,scripts}/**/*.js', {
    cwd: dist,
  });
  const names = files.flatMap((file) =>
    [...readFileSync(join(dist, file), 'utf8').matchAll(loading)].map(([, from, call]) => from ?? call ?? ''),
  );
  return [...new Set(names.filter((name) => !isBuiltin(name)))].sort();
}
/** Matches `import x from "a"`, `import("a")`, `require("a")` as the bundler writes it, and `createRequire(…)("a")`. */
const loading =
  /^(?:import|export) (?:.* from )?"([^."][^"]*)"|(?:\bimport|__import|__require|createRequire\(.*\))\("([^."][^"]*)"\)/gm;

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testThoroughly } from '../test/optional-programs.ts';
import { type LockedPackage, makeBillOfMaterials } from './bill-of-materials.ts';
import { unbundledPackages } from './bundle.ts';
import { formatChecksumFile } from './checksums.ts';
import { packagesNeededBy } from './offline-archive.ts';

const testInCi = testThoroughly();

const subject = { name: 'pinpad', version: '1.2.3', license: 'MIT' };
const root = join(import.meta.dirname, '..');
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};

test('the checksums can be read by sha256sum, in the order of the names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-sums-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'b.tgz'), 'abc');
  writeFileSync(join(folder, 'a.json'), '');
  expect(formatChecksumFile(folder, ['b.tgz', 'a.json'])).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a.json\n' +
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b.tgz\n',
  );
});

test('the bill of materials lists each package once, and whether it is bundled, installed or both', () => {
  const locked = {
    'node_modules/@scope/one': { version: '1.0.0', license: '(MIT OR Apache-2.0)', integrity: 'sha512-q80=' },
    'node_modules/two': { version: '2.0.0', license: 'ISC', integrity: 'sha512-q80=' },
    'node_modules/@scope/one/node_modules/two': {
      version: '2.0.0',
      license: 'ISC',
      integrity: 'sha512-q80=',
    },
  };
  const parts = {
    bundled: ['node_modules/@scope/one', 'node_modules/two'],
    installed: ['node_modules/@scope/one/node_modules/two'],
  };
  const { components, dependencies } = makeBillOfMaterials(subject, parts, locked);
  const told = components.map(({ purl, licenses, hashes, properties }) => ({
    ...{ purl, licenses, hashes },
    parts: properties.map(({ value }) => value),
  }));
  const hashes = [{ alg: 'SHA-512', content: 'abcd' }];
  expect(told).toEqual([
    {
      purl: 'pkg:npm/%40scope/one@1.0.0',
      licenses: [{ expression: '(MIT OR Apache-2.0)' }],
      hashes,
      parts: ['bundled'],
    },
    {
      purl: 'pkg:npm/two@2.0.0',
      licenses: [{ license: { id: 'ISC' } }],
      hashes,
      parts: ['bundled', 'installed'],
    },
  ]);
  expect(dependencies).toEqual([
    { ref: 'pkg:npm/pinpad@1.2.3', dependsOn: ['pkg:npm/%40scope/one@1.0.0', 'pkg:npm/two@2.0.0'] },
  ]);
});

test('a package that is missing in the lock file stops a release', () => {
  const parts = { bundled: ['node_modules/unknown'], installed: [] };
  expect(() => makeBillOfMaterials(subject, parts, {})).toThrow(
    'no version or no integrity for node_modules/unknown',
  );
});

test('the lock file has every package that is installed with pinpad', () => {
  const installed = packagesNeededBy(unbundledPackages).map((name) => `node_modules/${name}`);
  const { components } = makeBillOfMaterials(subject, { bundled: [], installed }, lock.packages);
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining([...unbundledPackages]));
});

testInCi('npm pack in a clone says which command packs the package', () => {
  const { status, stderr } = spawnSync('npm', ['pack', '--dry-run'], { cwd: root, encoding: 'utf8' });
  expect(status).not.toBe(0);
  expect(stderr).toContain('npm run pack');
});

test('npm run pack passes the check that npm runs before it', () => {
  const { status, stderr } = spawnSync('npm', ['run', 'prepack'], { cwd: root, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

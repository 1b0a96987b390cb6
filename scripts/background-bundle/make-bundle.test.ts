import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { latestBundleNoteFile } from '../../bin/clone-bundle.js';
import { isThoroughRun, sampleCases } from '../../test/draws.ts';
import { testThoroughly } from '../../test/optional-programs.ts';
import { SmallDisk, testWithMounts } from '../../test/small-disk.ts';
import { smallClone } from './small-clone.fixture.ts';

const testInCi = testThoroughly();

test('after a source has changed, the start after a bundle was made runs that bundle', async () => {
  const { change, make, runs, bundles } = smallClone();
  expect(runs()).toBe('sources');
  expect(await make()).toBe('made');
  const [first] = bundles();
  expect(runs()).toBe(first);
  expect(await make()).toBe('there is one already');
  change('differently');
  expect(runs()).toBe('sources');
  expect(await make()).toBe('made');
  const [second, ...others] = bundles();
  expect([second === first, others]).toEqual([false, []]);
  expect(runs()).toBe(second);
});

testInCi('a bundle that a process runs stays until the process ends, or is killed', async () => {
  const { root, change, make, up, bundles } = smallClone();
  await make();
  const [first = ''] = bundles();
  const process = await up();
  change('differently');
  await make();
  expect(bundles()).toContain(first);
  expect(existsSync(join(root, first, 'cli/main.js'))).toBe(true);
  process.kill('SIGKILL');
  await once(process, 'exit');
  await make();
  expect(bundles()).toHaveLength(1);
  expect(bundles()).not.toContain(first);
});

test('a bundle that a process of another container may run stays', async () => {
  const { root, change, make, bundles } = smallClone();
  await make();
  const [first = ''] = bundles();
  writeFileSync(join(root, first, 'users/1-elsewhere-pid1'), '');
  change('differently');
  await make();
  expect(bundles()).toContain(first);
});

testInCi('only one process makes a bundle', async () => {
  const { begin, make, bundles } = smallClone();
  const { goOn, outcome } = await begin();
  expect(await make()).toBe('another process makes one');
  expect(bundles()).toHaveLength(1);
  goOn();
  expect(await outcome()).toBe('made');
});

testInCi('a killed process has no lock, and the next one removes what it left', async () => {
  const { begin, make, runs, bundles } = smallClone();
  const { child } = await begin();
  const [half] = bundles();
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect([bundles(), runs()]).toEqual([[half], 'sources']);
  expect(await make()).toBe('made');
  expect(bundles()).not.toContain(half);
  expect(bundles()).toHaveLength(1);
});

testInCi('the making ends with the process that began it, and leaves nothing', async () => {
  const { root, begin, runs, bundles } = smallClone();
  const { child } = await begin();
  child.stdin.destroy(); // this ends the child's input, as if the child's parent process were killed
  await once(child, 'exit');
  expect(bundles()).toEqual([]);
  expect(existsSync(join(root, latestBundleNoteFile))).toBe(false);
  expect(runs()).toBe('sources');
});

testInCi('Ctrl-C, which reaches all processes of a window, ends the making and leaves nothing', async () => {
  const { begin, bundles } = smallClone();
  const { child } = await begin();
  child.kill('SIGINT');
  await once(child, 'exit');
  expect(bundles()).toEqual([]);
});

testInCi('a source that does not compile changes nothing', async () => {
  const { write, make, runs, bundles } = smallClone();
  await make();
  const [first] = bundles();
  const good = runs();
  write('cli/other.ts', 'export const other = ;');
  write('cli/main.ts', `import './other.ts';\nexport const main = () => {};\n`);
  await expect(make()).rejects.toThrow('Build failed');
  expect([good, bundles()]).toEqual([first, [first]]);
  expect(() => runs()).toThrow('SyntaxError');
});

test('a bundle that cannot take a payment is not run', async () => {
  const { write, make, bundles, runs } = smallClone();
  write('cli/main.ts', `export const main = () => process.stdout.write('sources');\n`);
  await expect(make()).rejects.toThrow();
  expect([bundles(), runs()]).toEqual([[], 'sources']);
});

testInCi.each(sampleCases(['cli/main.ts', 'scripts/note-sources.ts'], 2))(
  'a bundle is not run if %s changed while it was made',
  async (file) => {
    const { root, write, begin, bundles, runs } = smallClone();
    const { goOn, outcome } = await begin();
    // a change counts even if the file gets its earlier content back
    write(file, readFileSync(join(root, file), 'utf8'));
    goOn();
    expect(await outcome()).toBe(
      'the bundle was not made, because a source file has changed in the meantime',
    );
    expect([bundles(), runs()]).toEqual([[], 'sources']);
  },
);

testInCi('a bundle is not run if a source was removed while it was made', async () => {
  const { root, begin } = smallClone();
  const { goOn, outcome } = await begin();
  rmSync(join(root, 'tsconfig.json'));
  goOn();
  expect(await outcome()).toBe('the bundle was not made, because a source file has changed in the meantime');
});

(isThoroughRun ? testWithMounts() : test.skip)(
  'a disk that fills up meanwhile leaves no bundle, and the next start as it was',
  async () => {
    const disk = SmallDisk.mount();
    onTestFinished(() => disk.unmount());
    const { begin, make, runs, bundles } = smallClone(disk.folder);
    const { goOn, outcome } = await begin();
    disk.fill();
    goOn();
    expect(await outcome()).toMatch(/^the bundle was not made: (.|\n)*(ENOSPC|No space)/);
    expect([bundles(), runs()]).toEqual([[], 'sources']);
    disk.empty();
    expect(await make()).toBe('made');
    expect(bundles()).toEqual([runs()]);
  },
);

import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchmarkPart } from '../part.ts';
import { median } from '../statistics.ts';
import { timeStartPaymentStop } from '../targets/pinpad-command.ts';

const root = join(import.meta.dirname, '../..');
const warmProgram = join(import.meta.dirname, '../programs/one-payment.ts');

/** Measures a start, one payment and a stop together. A test that starts everything for itself waits for this time. */
export const startPart: BenchmarkPart = {
  name: 'start',
  summary:
    'the time to start, make one payment and stop, for the built package and for a clone, with a file on disk',
  async run({ quick, log }) {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-bench-'));
    const rounds = quick ? 3 : 15;
    try {
      const built = buildPackage(folder);
      const clone = join(root, 'bin/pinpad.js');
      const cache = { NODE_COMPILE_CACHE: join(folder, 'cache') };
      // if there are options for Node, bin/pinpad.js runs the sources
      const asSources = { ...cache, NODE_OPTIONS: '--no-deprecation' };
      const empty: number[] = [];
      const ways = [
        { command: built, env: cache, times: [] as number[] },
        { command: clone, env: cache, times: [] as number[] },
        { command: clone, env: asSources, times: [] as number[] },
        { command: makeRebundledClone(folder), env: cache, times: [] as number[] },
      ];
      for (let round = -1; round < rounds; round++) {
        empty.push(emptyNodeMs());
        for (const { command, env, times } of ways) {
          const data = join(folder, 'data');
          times.push(await timeStartPaymentStop(command, data, env));
          rmSync(data, { recursive: true });
        }
      }
      // The first run of each command is left out, because that run fills the cache.
      const [builtMs = 0, cloneMs = 0, sourcesMs = 0, secondMs = 0] = ways.map(({ times }) =>
        median(times.slice(1)),
      );
      const warm = JSON.parse(run([warmProgram, join(folder, 'warm'), quick ? '5' : '30'])) as number[];
      const emptyMs = median(empty);
      log(`an empty Node process takes ${emptyMs.toFixed(0)} ms`);
      const name = 'the time to start, make one payment and stop, as a process with a compile cache';
      return [
        {
          name: `${name}: the built package`,
          value: builtMs,
          unit: 'ms',
          aim: { atMost: Math.max(250, Math.round(7 * emptyMs)) },
        },
        { name: `${name}: a clone`, value: cloneMs, unit: 'ms', aim: { atMost: 350 } },
        { name: `${name}: the time of a clone with a changed source`, value: sourcesMs, unit: 'ms' },
        {
          name: `${name}: the time after a bundle was made in the background`,
          value: secondMs,
          unit: 'ms',
          aim: { atMost: 450, best: 350 },
        },
        {
          name: `${name}: the time of the built package, as a multiple of an empty Node`,
          value: builtMs / emptyMs,
          unit: 'ratio',
        },
        { name: 'start, one payment, stop, in a warm process', value: median(warm.slice(1)), unit: 'ms' },
      ];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** Builds the package as npm would install it, and returns the path of its command. */
function buildPackage(folder: string): string {
  run([join(root, 'scripts/build.ts')]);
  cpSync(join(root, 'build/package'), join(folder, 'pinpad'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'pinpad/bin/pinpad.js');
}

/**
 * Copies this clone of the repository, changes a source in the copy, and makes a new bundle there, as `pinpad up` does
 * in the background. Returns the path of the copy's command.
 */
function makeRebundledClone(folder: string): string {
  const copy = join(folder, 'clone');
  const files = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).stdout.split('\0');
  for (const file of files.filter((name) => name !== '')) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  appendFileSync(join(copy, 'shared/money.ts'), '// changed\n');
  const make = `import { makeBundle } from './scripts/background-bundle/make-bundle.ts';
    const made = await makeBundle(process.cwd());
    if (made !== 'made') throw new Error(made);`;
  run(['--input-type=module', '-e', make], copy);
  return join(copy, 'bin/pinpad.js');
}

function emptyNodeMs(): number {
  const before = performance.now();
  run(['-e', '0']);
  return performance.now() - before;
}

function run(args: string[], cwd = root): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { BenchmarkPart } from '../part.ts';
import { median } from '../statistics.ts';

const program = join(import.meta.dirname, '../programs/fixture.ts');
/** How many tests after the first one are left out of the figure for warm code, because the code is not warm yet. */
const cold = 15;

/**
 * Measures the time of a test that has a pinpad of its own: once as the first test of a process, and once when the code
 * is warm. Each figure is the test's time divided by the time of a Node process that does nothing.
 */
export const testFixturePart: BenchmarkPart = {
  name: 'fixture',
  summary:
    'the time of a test with pinpad/testing, the first of a process and a warm one, compared with an empty Node',
  async run({ quick, log }) {
    const [empty, first, warm]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < (quick ? 2 : 7); round++) {
      const before = performance.now();
      run(['-e', '0']);
      empty.push(performance.now() - before);
      const [one = 0, ...more] = JSON.parse(run([program, quick ? '20' : '60'])) as number[];
      first.push(one);
      warm.push(median(more.slice(cold)));
    }
    const emptyMs = median(empty);
    const [firstMs, warmMs] = [median(first), median(warm)];
    log(
      `an empty Node takes ${emptyMs.toFixed(0)} ms, a first test ${firstMs.toFixed(0)} ms, a warm one ${warmMs.toFixed(1)} ms`,
    );
    return [
      {
        name: 'the time of a warm test with pinpad/testing, as a multiple of an empty Node',
        value: warmMs / emptyMs,
        unit: 'ratio',
      },
      {
        name: 'the time of the first test of a process, as a multiple of an empty Node',
        value: firstMs / emptyMs,
        unit: 'ratio',
      },
    ];
  },
};

function run(args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Part } from '../part.ts';
import { median } from '../statistics.ts';

const program = join(import.meta.dirname, '../programs/one-payment.ts');

/** Start, one payment, stop: what a test that starts everything for itself waits for. */
export const start: Part = {
  name: 'start',
  summary: 'start, one payment, stop: as a whole process and in a warm one, with a file on disk',
  async run({ quick, log }) {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-bench-'));
    const runs = quick ? 3 : 15;
    try {
      const cache = { NODE_COMPILE_CACHE: join(folder, 'cache') };
      run([program, folder], cache); // fills it
      const bare = Array.from({ length: runs }, () => wallMs(['-e', '0']));
      const uncached = Array.from({ length: runs }, () => wallMs([program, folder]));
      const cached = Array.from({ length: runs }, () => wallMs([program, folder], cache));
      const warm = JSON.parse(run([program, folder, quick ? '5' : '30'])) as number[];
      log(`an empty Node process takes ${median(bare).toFixed(0)} ms`);
      const name = 'start, one payment, stop';
      return [
        {
          name: `${name}: process with a compile cache, as the command has`,
          value: median(cached),
          unit: 'ms',
          aim: { atMost: 250 },
        },
        { name: `${name}: process without`, value: median(uncached), unit: 'ms' },
        { name: `${name}: in a warm process`, value: median(warm.slice(1)), unit: 'ms' },
      ];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

function wallMs(args: string[], env: NodeJS.ProcessEnv = {}): number {
  const before = performance.now();
  run(args, env);
  return performance.now() - before;
}

function run(args: string[], env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

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
    try {
      const bare = Array.from({ length: quick ? 3 : 9 }, () => wallMs(['-e', '0']));
      const whole = Array.from({ length: quick ? 3 : 15 }, () => wallMs([program, folder]));
      const warm = JSON.parse(run([program, folder, quick ? '5' : '30'])) as number[];
      log(
        `an empty Node process takes ${median(bare).toFixed(0)} ms; the first of the warm ones ${warm[0]?.toFixed(0)} ms`,
      );
      return [
        {
          name: 'start, one payment, stop: whole process',
          value: median(whole),
          unit: 'ms',
          aim: { atMost: 250 },
        },
        { name: 'start, one payment, stop: warm process', value: median(warm.slice(1)), unit: 'ms' },
      ];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

function wallMs(args: string[]): number {
  const before = performance.now();
  run(args);
  return performance.now() - before;
}

function run(args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

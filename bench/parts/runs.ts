import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchmarkPart } from '../part.ts';
import { median } from '../statistics.ts';

const root = join(import.meta.dirname, '../..');
const quickly = ['--grep', 'library/(tips|paying)'];

/**
 * Measures `pinpad run` with the scenarios that come with pinpad: in one thread, and in as many threads as there are
 * cores.
 */
export const scenarioRunsPart: BenchmarkPart = {
  name: 'runs',
  summary:
    'the time of pinpad run for the shipped scenarios, with a thread for each core and with one thread',
  async run({ quick, log }) {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-bench-'));
    const cores = String(availableParallelism());
    const times: Record<'one' | 'all', number[]> = { one: [], all: [] };
    try {
      for (let round = -1; round < (quick ? 2 : 7); round++)
        for (const [threads, into] of [
          ['1', times.one],
          [cores, times.all],
        ] as const) {
          const ms = runMs(threads, folder, quick ? quickly : []);
          if (round >= 0) into.push(ms); // the first round only fills the cache
        }
    } finally {
      rmSync(folder, { recursive: true });
    }
    log(`one thread takes ${(median(times.one) / 1_000).toFixed(1)} s`);
    return [
      {
        name: `the time of pinpad run for the shipped scenarios with ${cores} threads, as a share of the time with one thread`,
        value: median(times.all.map((ms, round) => ms / (times.one[round] ?? ms))),
        unit: 'ratio',
        ...(quick ? {} : { aim: { atMost: 0.6, best: 0.52 } }),
      },
    ];
  },
};

function runMs(threads: string, folder: string, more: readonly string[]): number {
  const before = performance.now();
  const args = [join(root, 'bin/pinpad.js'), 'run', '--threads', threads, ...more];
  const env = { ...process.env, NODE_COMPILE_CACHE: folder };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stdout + stderr);
  return performance.now() - before;
}

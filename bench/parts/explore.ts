import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../test/find-program.ts';
import { pythonPath } from '../../test/python.ts';
import type { Figure } from '../figure.ts';
import type { BenchmarkPart } from '../part.ts';

const root = join(import.meta.dirname, '../..');
const command = join(root, 'bin/pinpad.js');
const many = 50;
const few = 5;

const ways = [
  {
    how: 'with a Python POS that starts anew for each run',
    program: 'test/explore/drivers/careful.py',
    atMostMs: 60_000,
  },
  {
    how: 'with a Python POS that keeps running',
    program: 'bench/programs/staying_till.py',
    atMostMs: 25_000,
  },
];

/** Measures how long `pinpad explore` takes, including its start and its two runs without faults. */
export const explorationPart: BenchmarkPart = {
  name: 'explore',
  summary:
    'the time to explore single faults of a tap sale, with a Python POS that starts anew for each run, and one that keeps running',
  async run({ quick, log }) {
    if (findProgram('python3') === undefined) {
      log('this part is left out, because there is no python3');
      return [];
    }
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-bench-'));
    try {
      const figures: Figure[] = [];
      for (const { how, program, atMostMs } of ways) {
        const argv = [pythonPath(), '-B', join(root, program)];
        const only = namesOf(folder, argv).slice(0, quick ? few : many);
        const before = { wall: performance.now(), cpu: childrenCpuMs() };
        const { stdout } = exploring(
          folder,
          only.flatMap((name) => ['--only', name]),
          argv,
        );
        if (!stdout.includes(`✓ ${only.length} survived`)) throw new Error(stdout);
        const cpuMs = childrenCpuMs() - before.cpu;
        log(`${how}: ${(cpuMs / 1_000).toFixed(1)} s of CPU for ${only.length} faults, the POS's included`);
        figures.push({
          name: `the time to explore ${only.length} single faults of a tap sale, ${how}`,
          value: performance.now() - before.wall,
          unit: 'ms',
          ...(quick ? {} : { aim: { atMost: atMostMs } }),
        });
      }
      return figures;
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** Returns the names of the faults that an exploration would try, in the order in which it would try them. */
function namesOf(folder: string, argv: readonly string[]): readonly string[] {
  const report = join(folder, 'report.json');
  exploring(folder, ['--limit', '0 s', '--json', report], argv, stoppedEarly);
  return JSON.parse(readFileSync(report, 'utf8')).notRun;
}

const stoppedEarly = 4;

function exploring(folder: string, options: readonly string[], argv: readonly string[], code = 0) {
  const args = [...options, '--shopper', 'visa-credit', '--traces', join(folder, 'traces'), '--', ...argv];
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, 'explore', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== code) throw new Error(`${stdout}\n${stderr}`);
  return { stdout };
}

const ticksPerSecond = 100;

/**
 * Returns the processor time of the child processes that have ended, including the children of those processes.
 * Works on Linux only.
 */
function childrenCpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return ((Number(fields[13]) + Number(fields[14])) * 1_000) / ticksPerSecond;
}

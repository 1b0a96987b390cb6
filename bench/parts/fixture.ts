import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Part } from '../part.ts';
import { median } from '../statistics.ts';

const program = join(import.meta.dirname, '../programs/fixture-tests.ts');

type Took = Record<'start' | 'pay' | 'close', { ms: number; cpuMs: number }>;
/** The first of a process have code to compile. */
const cold = 10;

/** What a test with `pinpad/testing` takes: start, a payment and an expectation, close. */
export const fixture: Part = {
  name: 'fixture',
  summary: 'a test with the fixture of pinpad/testing, warm and the first of a process, over an empty Node',
  async run({ quick, log }) {
    const empty: number[] = [];
    const first: number[] = [];
    const warm: Took[] = [];
    for (let round = 0; round < (quick ? 2 : 7); round++) {
      empty.push(emptyNodeCpuMs());
      const took = JSON.parse(run([program, quick ? '15' : '40'])) as Took[];
      first.push(...took.slice(0, 1).map(cpuMs));
      warm.push(...took.slice(cold));
    }
    const emptyMs = median(empty);
    const part = (name: keyof Took) =>
      `${name} ${median(warm.map((took) => took[name].cpuMs)).toFixed(1)} (${median(warm.map((took) => took[name].ms)).toFixed(1)})`;
    log(`an empty Node takes ${emptyMs.toFixed(0)} ms of CPU`);
    log(`warm, ms of CPU (and of time): ${part('start')}, ${part('pay')}, ${part('close')}`);
    const what = "CPU of a test with the fixture over an empty Node's";
    return [
      {
        name: `${what}, warm`,
        value: median(warm.map(cpuMs)) / emptyMs,
        unit: 'ratio',
        aim: { atMost: 0.67, best: 0.36 },
      },
      {
        name: `${what}, the first of a process`,
        value: median(first) / emptyMs,
        unit: 'ratio',
        aim: { atMost: 7.9, best: 4.8 },
      },
    ];
  },
};

function cpuMs(took: Took): number {
  return took.start.cpuMs + took.pay.cpuMs + took.close.cpuMs;
}

/** It says what it took itself, from its start on. */
function emptyNodeCpuMs(): number {
  const { user, system } = JSON.parse(run(['-p', 'JSON.stringify(process.cpuUsage())']));
  return (user + system) / 1000;
}

function run(args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from '../figure.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { BenchmarkPart } from '../part.ts';
import { median } from '../statistics.ts';
import { multiplyPayments } from '../targets/multiply-payments.ts';
import { databasePathIn, startMeasuredPinpad } from '../targets/start-pinpad.ts';
import { stopTarget, type Target } from '../targets/target.ts';
import { measureRound, type Sample } from './measure.ts';

const terminals = 128;

/** Compares payments on a full database with payments on an empty one, with alternating rounds. */
export const storedPaymentsPart: BenchmarkPart = {
  name: 'stored',
  summary: 'the cost of a payment when many payments are stored, compared with none',
  async run({ quick, stored, log }) {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-bench-'));
    const load = new LoadProcess();
    const running: Target[] = [];
    const open = async (name: string) => {
      const target = await startMeasuredPinpad({ data: join(folder, name), terminals, split: false });
      running.push(target);
      return target;
    };
    try {
      await fill(join(folder, 'full'), stored, load, log);
      const before = performance.now();
      const full = await open('full');
      log(`the gateway starts in ${(performance.now() - before).toFixed(0)} ms with ${stored} payments`);
      const empty = await open('empty');
      const how = { operation: 'payment', concurrency: 16, durationMs: quick ? 500 : 2000 } as const;
      const rounds: { full: Sample; empty: Sample }[] = [];
      for (const target of [full, empty]) await measureRound(load, target, how); // warms up
      for (let round = 0; round < (quick ? 2 : 7); round++)
        rounds.push({
          full: await measureRound(load, full, how),
          empty: await measureRound(load, empty, how),
        });
      return figuresOf(rounds, stored);
    } finally {
      load.stop();
      for (const target of running) await stopTarget(target);
      rmSync(folder, { recursive: true });
    }
  },
};

async function fill(
  data: string,
  count: number,
  load: LoadProcess,
  log: (text: string) => void,
): Promise<void> {
  const target = await startMeasuredPinpad({ data, terminals, split: false });
  try {
    await measureRound(load, target, { operation: 'payment', concurrency: 8, durationMs: 500 });
  } finally {
    await stopTarget(target);
  }
  const file = databasePathIn(data);
  multiplyPayments(file, count, 47);
  log(`${count} payments stored: ${(statSync(file).size / 1e6).toFixed(0)} MB`);
}

function figuresOf(rounds: { full: Sample; empty: Sample }[], count: number): Figure[] {
  const ratio = (what: keyof Sample) => median(rounds.map(({ full, empty }) => full[what] / empty[what]));
  const than = `with ${count} stored payments, as a multiple of no stored payments`;
  return [
    { name: `payments/s ${than}`, value: ratio('perSecond'), unit: 'ratio', aim: { atLeast: 0.9 } },
    { name: `CPU of a payment ${than}`, value: ratio('cpuUs'), unit: 'ratio', aim: { atMost: 1.1, best: 1 } },
  ];
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from '../figure.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { BenchmarkPart } from '../part.ts';
import { median } from '../statistics.ts';
import { startMeasuredPinpad, waitUntilConnected } from '../targets/start-pinpad.ts';
import { stopTarget, type Target } from '../targets/target.ts';
import { measureRound, type Sample } from './measure.ts';

/**
 * Compares payments on many terminals with payments on a few. The terminals are used in turn, and rounds of both kinds
 * alternate.
 */
export const manyTerminalsPart: BenchmarkPart = {
  name: 'terminals',
  summary: 'the cost of a payment with 10 000 connected terminals, compared with 10 terminals',
  async run({ quick, log }) {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-bench-'));
    const load = new LoadProcess();
    const running: Target[] = [];
    const open = async (count: number) => {
      const data = join(folder, String(count));
      const target = await startMeasuredPinpad({ data, terminals: count, split: false });
      running.push(target);
      await waitUntilConnected(target, count);
      return target;
    };
    const count = quick ? 1000 : 10_000;
    // A terminal that is still printing is not used again at once, so fewer requests are in flight than there are
    // terminals.
    const how = { operation: 'payment', concurrency: 4, durationMs: quick ? 500 : 2000 } as const;
    try {
      const [few, many] = [await open(10), await open(count)];
      const rounds: { few: Sample; many: Sample }[] = [];
      for (const target of [few, many]) await measureRound(load, target, how); // warms up
      for (let round = 0; round < (quick ? 2 : 7); round++)
        rounds.push({ few: await measureRound(load, few, how), many: await measureRound(load, many, how) });
      const ratio = (what: keyof Sample) => median(rounds.map((round) => round.many[what] / round.few[what]));
      const than = `with ${count} terminals, as a multiple of 10 terminals`;
      log(`payments/s ${than}: ${ratio('perSecond').toFixed(2)}; p99 ${ratio('p99Ms').toFixed(2)}`);
      const figure: Figure = { name: `CPU of a payment ${than}`, value: ratio('cpuUs'), unit: 'ratio' };
      return [{ ...figure, aim: { atMost: 1.1, best: 1 } }];
    } finally {
      load.stop();
      for (const target of running) await stopTarget(target);
      rmSync(folder, { recursive: true });
    }
  },
};

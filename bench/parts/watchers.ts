import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Aim, Figure } from '../figure.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { BenchmarkPart } from '../part.ts';
import { median } from '../statistics.ts';
import { type PinpadTarget, startMeasuredPinpad } from '../targets/start-pinpad.ts';
import { stopTarget } from '../targets/target.ts';
import { measureRound } from './measure.ts';

const terminals = 128;
const concurrency = 16;
const watchers = [1, 5, 20] as const;
const aims: Record<(typeof watchers)[number], Aim> = {
  1: { atMost: 1.7, best: 1.3 },
  5: { atMost: 2, best: 1.4 },
  20: { atMost: 2.4, best: 1.7 },
};

/**
 * Measures how long the main thread works for a payment while clients watch the journal, and compares that with the
 * time without such clients.
 */
export const watchersPart: BenchmarkPart = {
  name: 'watchers',
  summary:
    'the cost of payments at 16 in flight while 1, 5 and 20 clients watch the live journal, compared with no client',
  async run({ quick, log }) {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-bench-'));
    const target = await startMeasuredPinpad({ data: folder, terminals, split: false });
    const load = new LoadProcess();
    const watching = fork(join(import.meta.dirname, '../programs/watchers.ts'));
    try {
      const durationMs = quick ? 700 : 2_000;
      const mainUs = async (count: number) => {
        await haveWatch(watching, target, count);
        return (await measureRound(load, target, { operation: 'payment', concurrency, durationMs })).mainUs;
      };
      for (const count of [0, ...watchers]) await mainUs(count); // warms up
      const ratios = watchers.map(() => [] as number[]);
      const alone: number[] = [];
      for (let round = 0; round < (quick ? 2 : 9); round++) {
        const none = await mainUs(0);
        alone.push(none);
        for (const [nth, count] of watchers.entries()) ratios[nth]?.push((await mainUs(count)) / none);
      }
      log(`without a watching client: ${median(alone).toFixed(0)} µs of the main thread a payment`);
      return watchers.map((count, nth) => figureOf(count, ratios[nth] ?? [], log));
    } finally {
      watching.kill();
      load.stop();
      await stopTarget(target);
      rmSync(folder, { recursive: true });
    }
  },
};

async function haveWatch(
  watching: ChildProcess,
  { url, controlToken }: PinpadTarget,
  count: number,
): Promise<void> {
  if (watching.exitCode !== null) throw new Error('the connection of a watching client was cut off');
  watching.send({ url, controlToken, count });
  await once(watching, 'message');
}

function figureOf(count: (typeof watchers)[number], ratios: number[], log: (text: string) => void): Figure {
  log(`${count} watching, over none: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`);
  return {
    name: `CPU of the main thread for a payment with ${count} watching clients, as a multiple of no client, at ${concurrency} in flight`,
    value: median(ratios),
    unit: 'ratio',
    aim: aims[count],
  };
}

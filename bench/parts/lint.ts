import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoadProcess } from '../load/load-process.ts';
import type { Part } from '../part.ts';
import { startPinpad } from '../targets/start-pinpad.ts';
import { stopTarget, type Target } from '../targets/target.ts';
import { Samples } from './measure.ts';

const subjects = ['without lint', 'with lint'] as const;
type Subject = (typeof subjects)[number];
const concurrency = 64;
const terminals = 256;

/** What it costs to judge a point of sale while it works, in rounds that take turns. */
export const lint: Part = {
  name: 'lint',
  summary: 'CPU of a payment with lint as it happens, against the same without, at 64 in flight',
  async run({ quick, log }) {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-bench-'));
    const start = (lint: 'warning' | 'off') =>
      startPinpad({ data: join(folder, lint), terminals, split: false, lint });
    const targets = new Map<Subject, Target>([
      ['without lint', await start('off')],
      ['with lint', await start('warning')],
    ]);
    const load = new LoadProcess();
    try {
      const samples = await Samples.interleaved(load, targets, {
        operation: 'payment',
        concurrencies: [concurrency],
        rounds: quick ? 4 : 25,
        durationMs: quick ? 700 : 1500,
      });
      log(samples.table(subjects, 'without lint', concurrency));
      return [
        {
          name: 'CPU of a payment with lint, of one without, at 64 in flight',
          value: samples.ratio('with lint', 'without lint', concurrency, 'cpuUs'),
          unit: 'ratio',
          aim: { atMost: 1.02 },
        },
      ];
    } finally {
      load.stop();
      for (const target of targets.values()) await stopTarget(target);
      rmSync(folder, { recursive: true });
    }
  },
};

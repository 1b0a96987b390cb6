import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoadProcess } from '../load/load-process.ts';
import type { BenchmarkPart } from '../part.ts';
import { startMeasuredPinpad } from '../targets/start-pinpad.ts';
import { stopTarget, type Target } from '../targets/target.ts';
import { measureRound, Samples } from './measure.ts';

const subjects = ['without lint', 'with lint'] as const;
type Subject = (typeof subjects)[number];
const concurrency = 64;
const terminals = 256;

/**
 * Measures how much it costs to check a point of sale while it works. Rounds with lint and rounds without lint
 * alternate.
 */
export const lintPart: BenchmarkPart = {
  name: 'lint',
  summary: 'CPU of a payment with lint, compared with a payment without lint, at 64 in flight',
  async run({ quick, log }) {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-bench-'));
    const start = (lint: 'warning' | 'off') =>
      startMeasuredPinpad({ data: join(folder, lint), terminals, split: false, lint });
    const targets = new Map<Subject, Target>([
      ['without lint', await start('off')],
      ['with lint', await start('warning')],
    ]);
    const load = new LoadProcess();
    try {
      const samples = new Samples<Subject>();
      const how = { operation: 'payment', concurrency, durationMs: quick ? 700 : 1500 } as const;
      // The first round only warms up both targets. In later rounds, the targets take turns to be measured first,
      // because the machine is already warm for the target that is measured second.
      for (let round = -1; round < (quick ? 4 : 30); round++)
        for (const [subject, target] of round % 2 === 0 ? targets : [...targets].reverse()) {
          const sample = await measureRound(load, target, how);
          if (round >= 0) samples.of(subject, concurrency).push(sample);
        }
      log(samples.table(subjects, 'without lint', concurrency));
      return [
        {
          name: 'CPU of a payment with lint, as a multiple of a payment without lint, at 64 in flight',
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

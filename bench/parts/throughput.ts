import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from '../figure.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { Part } from '../part.ts';
import { answerBytesOf, startPinpad } from '../targets/start-pinpad.ts';
import { startRelay } from '../targets/start-relay.ts';
import { stopTarget, type Target } from '../targets/target.ts';
import { type Sample, Samples } from './measure.ts';

const concurrencies = [1, 16, 64];
/** Some times more terminals than requests in flight: one still printing is not asked again at once. */
const terminals = 256;

const subjects = ['relay', 'relay, terminals apart', 'pinpad', 'pinpad, terminals apart'] as const;
type Subject = (typeof subjects)[number];

/** Payments per second through the whole stack, against the relay in the same run, rounds interleaved. */
export const throughput: Part = {
  name: 'throughput',
  summary: 'payments per second, p50 and p99 at 1, 16 and 64 in flight, against a relay without logic',
  async run({ quick, log }) {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-bench-'));
    const targets = await startTargets(folder);
    const load = new LoadProcess();
    try {
      const rounds = quick ? 2 : 7;
      const samples = await Samples.interleaved(load, targets, {
        operation: 'payment',
        concurrencies,
        rounds,
        durationMs: quick ? 700 : 2000,
      });
      return concurrencies.flatMap((concurrency) => figuresOf(concurrency, samples, log));
    } finally {
      load.stop();
      for (const target of targets.values()) await stopTarget(target);
      rmSync(folder, { recursive: true });
    }
  },
};

async function startTargets(folder: string): Promise<Map<Subject, Target>> {
  const pinpad = await startPinpad({ data: join(folder, 'one'), terminals, split: false });
  const split = await startPinpad({ data: join(folder, 'split'), terminals, split: true });
  const answerBytes = await answerBytesOf(pinpad);
  return new Map<Subject, Target>([
    ['relay', await startRelay({ terminals, answerBytes, split: false })],
    ['relay, terminals apart', await startRelay({ terminals, answerBytes, split: true })],
    ['pinpad', pinpad],
    ['pinpad, terminals apart', split],
  ]);
}

function figuresOf(concurrency: number, samples: Samples<Subject>, log: (text: string) => void): Figure[] {
  const ratio = (above: Subject, below: Subject, what: keyof Sample) =>
    samples.ratio(above, below, concurrency, what);
  log(samples.table(subjects, 'relay', concurrency));
  const at = `at ${concurrency} in flight`;
  const aimed = concurrency === 64;
  return [
    {
      name: `payments/s of the relay's, one process, ${at}`,
      value: ratio('pinpad', 'relay', 'perSecond'),
      unit: 'ratio',
      ...(aimed ? { aim: { atLeast: 0.6 } } : {}),
    },
    {
      name: `payments/s of the relay's, terminals in another process, ${at}`,
      value: ratio('pinpad, terminals apart', 'relay', 'perSecond'),
      unit: 'ratio',
      ...(aimed ? { aim: { atLeast: 0.9 } } : {}),
    },
    {
      name: `the same against the relay split likewise, ${at}`,
      value: ratio('pinpad, terminals apart', 'relay, terminals apart', 'perSecond'),
      unit: 'ratio',
    },
    {
      name: `p99 over the relay's, one process, ${at}`,
      value: ratio('pinpad', 'relay', 'p99Ms'),
      unit: 'ratio',
      ...(aimed ? { aim: { atMost: 3 } } : {}),
    },
    {
      name: `p99 over the relay's, terminals in another process, ${at}`,
      value: ratio('pinpad, terminals apart', 'relay', 'p99Ms'),
      unit: 'ratio',
      ...(aimed ? { aim: { atMost: 3 } } : {}),
    },
    {
      name: `CPU of a payment over the relay's, one process, ${at}`,
      value: ratio('pinpad', 'relay', 'cpuUs'),
      unit: 'ratio',
    },
  ];
}

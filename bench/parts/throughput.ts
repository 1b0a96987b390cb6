import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Aim, Figure } from '../figure.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { BenchmarkPart } from '../part.ts';
import { measureAnswerBytes, startMeasuredPinpad } from '../targets/start-pinpad.ts';
import { startRelay } from '../targets/start-relay.ts';
import { stopTarget, type Target } from '../targets/target.ts';
import { type Sample, Samples } from './measure.ts';

const concurrencies = [1, 16, 64];
/**
 * There are several terminals for each request in flight, because a terminal that is still printing is not used again
 * at once.
 */
const terminals = 256;

const subjects = [
  'relay',
  'relay, terminals apart',
  'lean relay',
  'pinpad',
  'pinpad, terminals apart',
] as const;
type Subject = (typeof subjects)[number];

/**
 * Measures payments per second through the whole stack, compared with the relay in the same run, with alternating
 * rounds.
 */
export const throughputPart: BenchmarkPart = {
  name: 'throughput',
  summary: 'payments per second, p50 and p99 at 1, 16 and 64 in flight, compared with a relay without logic',
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
  const pinpad = await startMeasuredPinpad({ data: join(folder, 'one'), terminals, split: false });
  const split = await startMeasuredPinpad({ data: join(folder, 'split'), terminals, split: true });
  const answerBytes = await measureAnswerBytes(pinpad);
  return new Map<Subject, Target>([
    ['relay', await startRelay({ terminals, answerBytes, split: false })],
    ['relay, terminals apart', await startRelay({ terminals, answerBytes, split: true })],
    ['lean relay', await startRelay({ terminals, answerBytes, split: false, lean: true })],
    ['pinpad', pinpad],
    ['pinpad, terminals apart', split],
  ]);
}

/**
 * The aims for each number of requests in flight. Each aim is pinpad's figure divided by the relay's figure. `one`
 * applies if everything runs in one process, and `apart` applies if the terminals run in a second process.
 */
const aims: Record<number, Partial<Record<'one' | 'apart' | 'p99' | 'main', Aim>>> = {
  1: { one: { atLeast: 0.25, best: 0.4 } },
  64: {
    one: { atLeast: 0.45, best: 0.7 },
    apart: { atLeast: 0.5, best: 1 },
    p99: { atMost: 2.5, best: 1.5 },
    main: { atMost: 2, best: 1.3 },
  },
};

function figuresOf(concurrency: number, samples: Samples<Subject>, log: (text: string) => void): Figure[] {
  log(samples.table(subjects, 'relay', concurrency));
  const { one, apart, p99, main } = aims[concurrency] ?? {};
  const ratio = (name: string, above: Subject, below: Subject, what: keyof Sample, aim?: Aim): Figure => ({
    name: `${name}, at ${concurrency} in flight`,
    value: samples.ratio(above, below, concurrency, what),
    unit: 'ratio',
    ...(aim ? { aim } : {}),
  });
  const split = 'pinpad, terminals apart';
  return [
    ratio(
      'payments/s of pinpad in one process, as a share of the relay',
      'pinpad',
      'relay',
      'perSecond',
      one,
    ),
    ratio(
      'payments/s of pinpad with terminals in another process, as a share of the relay',
      split,
      'relay',
      'perSecond',
      apart,
    ),
    ratio(
      'payments/s of pinpad with terminals in another process, as a share of a relay with terminals in another process',
      split,
      'relay, terminals apart',
      'perSecond',
    ),
    ratio('payments/s of the lean relay, as a multiple of the relay', 'lean relay', 'relay', 'perSecond'),
    ratio('p99 of pinpad in one process, as a multiple of the relay', 'pinpad', 'relay', 'p99Ms', p99),
    ratio(
      'p99 of pinpad with terminals in another process, as a multiple of the relay',
      split,
      'relay',
      'p99Ms',
      p99,
    ),
    ratio('CPU of a payment in one process, as a multiple of the relay', 'pinpad', 'relay', 'cpuUs'),
    ratio(
      'CPU of the main thread in one process, as a multiple of the relay',
      'pinpad',
      'relay',
      'mainUs',
      main,
    ),
    ratio(
      'CPU of the main thread in one process, as a multiple of the lean relay',
      'pinpad',
      'lean relay',
      'mainUs',
    ),
    ratio(
      "CPU of the gateway's main thread with terminals in another process, as a multiple of a relay with terminals in another process",
      split,
      'relay, terminals apart',
      'mainUs',
    ),
  ];
}

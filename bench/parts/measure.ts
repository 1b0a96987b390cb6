import type { LoadProcess } from '../load/load-process.ts';
import type { OperationName } from '../load/operations.ts';
import type { LoadResult } from '../load/run-load.ts';
import { median } from '../statistics.ts';
import { textTable } from '../table.ts';
import { cpuOf, type Target } from '../targets/target.ts';

/** One round's result. */
export interface Sample extends LoadResult {
  /** The processor time that all of the target's processes took per operation, in µs. */
  cpuUs: number;
  /** The part of `cpuUs` that the gateway's main thread took. */
  mainUs: number;
}

export async function measureRound(
  load: LoadProcess,
  target: Target,
  how: { operation: OperationName; concurrency: number; durationMs: number },
): Promise<Sample> {
  const { url, urls, token, terminals, debits = [] } = target;
  const before = await cpuOf(target);
  const result = await load.run({ ...how, target: { url, urls, token, terminals, debits } });
  const after = await cpuOf(target);
  const usEach = (ms: number) => (ms / result.count) * 1000;
  return {
    ...result,
    cpuUs: usEach(after.cpuMs - before.cpuMs),
    mainUs: usEach(after.mainMs - before.mainMs),
  };
}

/** Collects the samples of every subject at every concurrency. Each round adds one sample. */
export class Samples<Subject extends string> {
  #samples = new Map<string, Sample[]>();

  /**
   * Measures all subjects in turn, round after round, so that other work on the machine affects all of them equally.
   * The first turn only warms up.
   */
  static async interleaved<Subject extends string>(
    load: LoadProcess,
    targets: ReadonlyMap<Subject, Target>,
    how: { operation: OperationName; concurrencies: readonly number[]; rounds: number; durationMs: number },
  ): Promise<Samples<Subject>> {
    const { operation, concurrencies, rounds, durationMs } = how;
    const samples = new Samples<Subject>();
    for (const target of targets.values())
      await measureRound(load, target, { operation, concurrency: Math.max(...concurrencies), durationMs });
    for (let round = 0; round < rounds; round++)
      for (const concurrency of concurrencies)
        for (const [subject, target] of targets)
          samples
            .of(subject, concurrency)
            .push(await measureRound(load, target, { operation, concurrency, durationMs }));
    return samples;
  }

  of(subject: Subject, concurrency: number): Sample[] {
    const key = `${subject} @ ${concurrency}`;
    const samples = this.#samples.get(key) ?? [];
    this.#samples.set(key, samples);
    return samples;
  }

  /** Returns the median of one figure over all rounds. */
  middle(subject: Subject, concurrency: number, what: keyof Sample): number {
    return median(this.of(subject, concurrency).map((sample) => sample[what]));
  }

  /** Divides one subject's figure by another's in each round, and returns the median of these ratios. */
  ratio(above: Subject, below: Subject, concurrency: number, what: keyof Sample): number {
    const ofBelow = this.of(below, concurrency);
    return median(
      this.of(above, concurrency).map(
        (sample, round) => sample[what] / (ofBelow[round]?.[what] ?? Number.NaN),
      ),
    );
  }

  /** Returns the figures at one concurrency, as a table. */
  table(subjects: readonly Subject[], yardstick: Subject, concurrency: number): string {
    const text = (subject: Subject, what: keyof Sample, digits: number) =>
      this.middle(subject, concurrency, what).toFixed(digits);
    return textTable([
      [
        `${concurrency} in flight`,
        'per s',
        `of ${yardstick}`,
        'p50 ms',
        'p99 ms',
        'CPU µs each',
        'main thread',
      ],
      ...subjects.map((subject) => [
        subject,
        text(subject, 'perSecond', 0),
        this.ratio(subject, yardstick, concurrency, 'perSecond').toFixed(2),
        text(subject, 'p50Ms', 2),
        text(subject, 'p99Ms', 2),
        text(subject, 'cpuUs', 0),
        text(subject, 'mainUs', 0),
      ]),
    ]);
  }
}

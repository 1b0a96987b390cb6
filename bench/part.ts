import type { Figure } from './figure.ts';

export interface BenchmarkPartOptions {
  /** Whether to run fewer and shorter rounds. Such a run shows whether the part works, but not how fast pinpad is. */
  quick: boolean;
  /** The number of payments in the database when the part `stored` begins to measure. */
  stored: number;
  /** Prints progress, and the numbers from which the figures are computed. */
  log(text: string): void;
}

/** A part of the benchmark. `npm run bench -- NAME` runs it alone. */
export interface BenchmarkPart {
  name: string;
  summary: string;
  run(options: BenchmarkPartOptions): Promise<Figure[]>;
}

import type { Figure } from './figure.ts';

export interface PartOptions {
  /** Fewer and shorter rounds: shows whether it works, not how fast it is. */
  quick: boolean;
  /** How many payments are stored before the stored part measures. */
  stored: number;
  /** Logs progress, and the numbers behind the figures. */
  log(text: string): void;
}

/** One thing worth measuring by itself: `npm run bench -- NAME` runs it alone. */
export interface Part {
  name: string;
  summary: string;
  run(options: PartOptions): Promise<Figure[]>;
}

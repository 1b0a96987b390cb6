import type { RunGround } from './ground.ts';
import type { KillSwitch } from './kill-switch.ts';
import type { Ended } from './run-record.ts';

/** What becomes of the command in a run. */
export interface Sold {
  readonly ended: Ended;
  readonly output: readonly string[];
  /** It goes on for its receiver: ends it, and gives what had become of it by then. */
  leave?(): Promise<Pick<Sold, 'ended' | 'output'>>;
}

/** Has the command sell on a run's ground. */
export interface Driver {
  sell(ground: RunGround, switches: KillSwitch, run: { worker: number; limitMs: number }): Promise<Sold>;
  /** Ends what still runs. */
  close(): Promise<void>;
}

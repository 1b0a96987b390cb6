import type { RunGround } from './ground.ts';
import type { KillSwitch } from './kill-switch.ts';
import type { CommandExit } from './run-record.ts';

/** What becomes of the command in a run. */
export interface Sold {
  readonly ended: CommandExit;
  readonly output: readonly string[];
  /** It goes on for its receiver: ends it, and gives what had become of it by then. */
  leave?(): Promise<Pick<Sold, 'ended' | 'output'>>;
}

/** What a run may take. */
export interface Allowed {
  readonly worker: number;
  /** Real milliseconds. */
  readonly limitMs: number;
  /** Real milliseconds after which a command that has sent no request is given up. */
  readonly silentMs?: number;
}

/** Has the command sell on a run's ground. */
export interface Driver {
  sell(ground: RunGround, switches: KillSwitch, run: Allowed): Promise<Sold>;
  /** Ends what still runs. */
  close(): Promise<void>;
}

import type { RunGround } from './ground.ts';
import type { KillSwitch } from './kill-switch.ts';
import type { CommandExit } from './run-record.ts';

/** The result of the command in a run. */
export interface Sold {
  readonly ended: CommandExit;
  readonly output: readonly string[];
  /** Set if the command goes on for its receiver: ends it, and gives its end and its output. */
  leave?(): Promise<Pick<Sold, 'ended' | 'output'>>;
}

/** The worker and the limits of a run. */
export interface Allowed {
  readonly worker: number;
  /** Real milliseconds. */
  readonly limitMs: number;
  /** Real milliseconds after which a command that has sent no request is given up. */
  readonly silentMs?: number;
}

/** Makes the command sell on a run's ground. */
export interface Driver {
  sell(ground: RunGround, switches: KillSwitch, run: Allowed): Promise<Sold>;
  /** Ends all commands that still run. */
  close(): Promise<void>;
}

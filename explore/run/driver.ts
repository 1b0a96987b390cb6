import type { RunGround } from './ground.ts';
import type { KillSwitch } from './kill-switch.ts';
import type { CommandExit } from './run-record.ts';

/** The result of the command in a run. */
export interface Sold {
  readonly ended: CommandExit;
  readonly output: readonly string[];
  /**
   * Ends a command that goes on for its webhook receiver, and returns its exit and output. Absent if the command has
   * ended.
   */
  leave?(): Promise<Pick<Sold, 'ended' | 'output'>>;
}

/** The worker that makes a run, and the run's time limits. */
export interface RunSlot {
  readonly worker: number;
  /** The real milliseconds after which the command is ended. */
  readonly limitMs: number;
  /** The real milliseconds after which a command that has sent no request is ended. */
  readonly silentMs?: number;
}

/** Runs the point of sale in each run. */
export interface Driver {
  sell(ground: RunGround, switches: KillSwitch, run: RunSlot): Promise<Sold>;
  /** Ends all commands that still run. */
  close(): Promise<void>;
}

import type { KillSwitch } from './kill-switch.ts';
import type { RunEnvironment } from './run-environment.ts';
import type { CommandExit } from './run-record.ts';

/** How the point of sale ended in a run. The point of sale is the command, or the scenario that is played. */
export interface PosResult {
  readonly ended: CommandExit;
  readonly output: readonly string[];
  /**
   * Ends a command that keeps running to receive webhooks, and returns its exit and output. Absent for a scenario. Also
   * absent for a command that has ended, or that keeps running for its next run.
   */
  leave?(): Promise<Pick<PosResult, 'ended' | 'output'>>;
}

/** The worker that makes a run, and the run's time limits. */
export interface WorkerAndLimits {
  readonly worker: number;
  /**
   * After this many real milliseconds, the run counts as timed out. If the point of sale is a command, the driver then
   * ends the command.
   */
  readonly limitMs: number;
  /** The real milliseconds after which a command that has sent no request is killed. Scenarios ignore this limit. */
  readonly silentMs?: number;
}

/** Runs the point of sale in each run: starts a command, or plays a scenario. */
export interface PosDriver {
  /** Lets the point of sale make its sale. `killSwitch` kills a command at a request. It cannot kill a scenario. */
  sell(ground: RunEnvironment, killSwitch: KillSwitch, run: WorkerAndLimits): Promise<PosResult>;
  /** Kills the running commands at once. */
  kill(): void;
  /** Call this after the last run. It ends the commands that are still running. */
  close(): Promise<void>;
}

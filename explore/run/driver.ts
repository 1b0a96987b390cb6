import type { KillSwitch } from './kill-switch.ts';
import type { RunEnvironment } from './run-environment.ts';
import type { CommandExit } from './run-record.ts';

/** How the point of sale ended in a run: the command, or the scenario that is played. */
export interface PosResult {
  readonly ended: CommandExit;
  readonly output: readonly string[];
  /**
   * Ends a command that goes on for its webhook receiver, and returns its exit and output. Absent for a scenario,
   * and for a command that has ended or stays for the next run.
   */
  leave?(): Promise<Pick<PosResult, 'ended' | 'output'>>;
}

/** The worker that makes a run, and the run's time limits. */
export interface WorkerAndLimits {
  readonly worker: number;
  /** The real milliseconds after which the run counts as timed out. A command is then ended. */
  readonly limitMs: number;
  /** The real milliseconds after which a command that has sent no request is ended. Scenarios do not use it. */
  readonly silentMs?: number;
}

/** Runs the point of sale in each run: starts a command, or plays a scenario. */
export interface PosDriver {
  /** Lets the point of sale make its sale. The switch kills a command at a request; a scenario cannot be killed. */
  sell(ground: RunEnvironment, killSwitch: KillSwitch, run: WorkerAndLimits): Promise<PosResult>;
  /** Kills the commands that still run, at once. */
  kill(): void;
  /** Ends what still runs after the last run. */
  close(): Promise<void>;
}

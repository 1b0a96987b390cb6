import { join } from 'node:path';
import { delay, systemClock } from '../../shared/clock.ts';
import type { NodeProcess } from '../node-process.ts';
import { startPinpadProcess } from './begin.ts';
import type { KnownTerminal } from './terminals.ts';

/** What `pinpad gateway --json` prints. */
export interface GatewayReady {
  url: string;
  token: string;
  controlToken: string;
  terminals: KnownTerminal[];
}

/**
 * A point at which the gateway kills itself: right before or after a commit, or right before or after an effect of a
 * payment. The process gets this object as a message, and counts commits or effects from then on. If `refuses` is set,
 * the disk refuses some commits of payments before the process reaches the point.
 */
export interface StepKill {
  of: 'commit' | 'effect';
  /** If given, only effects or payment commits of this name are counted. */
  name?: string | undefined;
  steps: number;
  /**
   * `thread`: after a commit, only the thread that wrote it dies, and this makes the gateway die. `broken`: nobody can
   * know whether the commit is on disk, so the gateway ends by itself.
   */
  moment: 'before' | 'after' | 'thread' | 'broken';
  refuses: boolean;
}

interface GatewayProcessOptions {
  /** The name of the gateway's data folder and log. */
  name: string;
  /** The folder in which all processes keep their files. */
  folder: string;
  timeScale: number;
  /**
   * A module that the gateway imports first. The module causes faults that cannot be caused from outside the process.
   */
  preload?: string | undefined;
  args?: readonly string[];
}

/** A gateway's process that can be killed and started again on the same port. */
export class GatewayProcess {
  readonly #options: GatewayProcessOptions;
  #process: NodeProcess<GatewayReady> | undefined;
  #port = 0;
  #down = true;
  #upSince = 0;

  constructor(options: GatewayProcessOptions) {
    this.#options = options;
  }

  get port(): number {
    return this.#port;
  }

  /** @throws Error if the process was killed */
  get process(): NodeProcess<GatewayReady> {
    if (!this.#process) throw new Error('the gateway is not running');
    return this.#process;
  }

  get up(): boolean {
    return this.#process?.over === false;
  }

  /** Whether a request that was sent at `atMs` may have been cut off by a kill. */
  wasDownSince(atMs: number): boolean {
    return this.#down || this.#upSince >= atMs;
  }

  /** The folder of the gateway's data. */
  get data(): string {
    return join(this.#options.folder, this.#options.name);
  }

  async start(failedStartMs?: number): Promise<GatewayReady> {
    const { folder, name, timeScale, args = [], preload } = this.#options;
    const command = [
      'gateway',
      '--json',
      `--config=${join(folder, 'pinpad.yaml')}`,
      `--data=${this.data}`,
      `--port=${this.#port}`,
      `--time-scale=${timeScale}`,
      ...args,
    ];
    const logFile = join(folder, 'logs', `${name}.jsonl`);
    this.#process = await startPinpadProcess<GatewayReady>(command, { logFile, failedStartMs, preload });
    this.#port = Number(new URL(this.#process.ready.url).port);
    this.#upSince = Date.now();
    this.#down = false;
    return this.#process.ready;
  }

  /**
   * Kills the process. With `at`, the process kills itself when it reaches the step `at`, and is killed if it has not
   * reached the step within `withinMs`. Returns whether the process reached the step.
   */
  async kill(at?: StepKill, withinMs = 0): Promise<boolean> {
    this.#down = true; // no answer is expected from now on
    if (at && this.#process) {
      this.#process.send({ killAtStep: at });
      await Promise.race([this.#process.exited, delay(systemClock, withinMs)]);
    }
    const atStep = this.#process?.over === true;
    await this.#process?.kill();
    this.#process = undefined;
    return atStep;
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
  }
}

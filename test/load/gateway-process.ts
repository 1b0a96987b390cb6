import { join } from 'node:path';
import { delay, systemClock } from '../../shared/clock.ts';
import type { NodeProcess } from '../node-process.ts';
import { begin } from './begin.ts';
import type { KnownTerminal } from './terminals.ts';

/** What `pinpad gateway --json` says. */
export interface GatewayReady {
  url: string;
  token: string;
  controlToken: string;
  terminals: KnownTerminal[];
}

/**
 * Right before or after so many commits from now, or effects of payments, the gateway kills itself. `broken`: nobody can know
 * whether that commit is on disk, and it ends by itself. Until then the disk refuses some commits of payments, where it
 * `refuses`.
 */
export interface StepKill {
  of: 'commit' | 'effect';
  /** Only an effect or a payment's commit of this name counts as a step. */
  name?: string | undefined;
  steps: number;
  /** `thread`: after a commit, and only the thread that wrote dies, of which the gateway dies. */
  moment: 'before' | 'after' | 'thread' | 'broken';
  refuses: boolean;
}

interface GatewayProcessOptions {
  /** Of its data and its log. */
  name: string;
  /** Where the processes keep everything. */
  folder: string;
  timeScale: number;
  /** A module that it imports first, to do from inside what cannot be done to a process from outside. */
  preload?: string | undefined;
  args?: readonly string[];
}

/** A gateway that can be killed and started again, on the same port. */
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

  /** @throws Error where it was killed */
  get process(): NodeProcess<GatewayReady> {
    if (!this.#process) throw new Error('the gateway is not running');
    return this.#process;
  }

  get up(): boolean {
    return this.#process?.over === false;
  }

  /** True when a request sent at `atMs` may have been cut by a kill. */
  wasDownSince(atMs: number): boolean {
    return this.#down || this.#upSince >= atMs;
  }

  /** Where it keeps its data. */
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
    this.#process = await begin<GatewayReady>(command, { logFile, failedStartMs, preload });
    this.#port = Number(new URL(this.#process.ready.url).port);
    this.#upSince = Date.now();
    this.#down = false;
    return this.#process.ready;
  }

  /** At once; or at a step, if it comes to that within `withinMs`. Returns whether it did. */
  async kill(at?: StepKill, withinMs = 0): Promise<boolean> {
    this.#down = true; // from now on no answer may be expected
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

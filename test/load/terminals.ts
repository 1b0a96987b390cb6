import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeProcess } from '../node-process.ts';
import { startPinpadProcess } from './begin.ts';
import { callControl } from './control.ts';

/** A terminal as the gateway knows it. */
export interface KnownTerminal {
  poiId: string;
  identifier: string;
  deviceKey: string;
}

/**
 * For each of the first terminals, the behaviour of the host: it does not answer, or it answers late. Because the
 * answers are late, some kills happen after the host has approved a payment and before the terminal knows it.
 */
const hosts = [{ type: 'silent' }, { type: 'late', delayMs: 40 }, { type: 'late', delayMs: 40 }];

/** The gateway's URL, and the terminals that dial it. */
interface Dialled {
  readonly url: string;
  readonly controlToken: string;
  readonly answerLimitMs: number;
  readonly terminals: readonly KnownTerminal[];
}

interface TerminalsOptions {
  folder: string;
  timeScale: number;
  count: number;
  /** Additional arguments of each process. */
  args?: readonly string[];
}

/** Terminals. Each is a process of its own, which has its own memory. */
export class Terminals {
  readonly #dialled: Dialled;
  readonly #folder: string;
  readonly #timeScale: number;
  readonly #args: readonly string[];
  readonly #running: (NodeProcess<unknown> | undefined)[];

  constructor(dialled: Dialled, options: TerminalsOptions) {
    this.#dialled = dialled;
    this.#folder = options.folder;
    this.#timeScale = options.timeScale;
    this.#args = options.args ?? [];
    this.#running = Array(options.count).fill(undefined);
  }

  async start(): Promise<void> {
    await Promise.all(this.#running.map((_, nth) => this.startOne(nth)));
    for (const [nth, outcome] of hosts.slice(0, this.#running.length).entries()) {
      const path = `/control/terminals/${this.#dialled.terminals[nth]?.identifier}/outcome`;
      await callControl(this.#dialled, path, { outcome, mode: 'always' });
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((each) => each?.stop()));
  }

  async startOne(nth: number, failedStartMs?: number): Promise<void> {
    const terminal = this.#dialled.terminals[nth];
    const command = [
      'terminal',
      '--json',
      `--gateway=${this.#dialled.url}`,
      `--poi=${terminal?.poiId}`,
      `--key=${terminal?.deviceKey}`,
      `--config=${join(this.#folder, 'pinpad.yaml')}`,
      `--data=${this.#data(nth)}`,
      `--time-scale=${this.#timeScale}`,
      ...this.#args,
    ];
    const logFile = join(this.#folder, 'logs', `terminal-${nth}.jsonl`);
    this.#running[nth] = await startPinpadProcess(command, { logFile, failedStartMs });
  }

  /** The terminals whose processes run. */
  get running(): readonly KnownTerminal[] {
    return this.#dialled.terminals.filter((_, nth) => this.#running[nth]?.over === false);
  }

  async kill(nth: number): Promise<void> {
    await this.#running[nth]?.kill();
    this.#running[nth] = undefined;
  }

  /** Removes the terminal's data, as if the device were replaced. The new device knows nothing of earlier payments. */
  wipe(nth: number): void {
    rmSync(this.#data(nth), { recursive: true, force: true });
  }

  #data(nth: number): string {
    return join(this.#folder, `terminal-${nth}`);
  }
}

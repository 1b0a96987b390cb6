import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigurationOptions, makeLoadConfiguration, usualTerminals } from './configuration.ts';
import { GatewayProcess, type GatewayReady } from './gateway-process.ts';
import { type KnownTerminal, Terminals } from './terminals.ts';

export interface WorldOptions extends ConfigurationOptions {
  /** The folder in which all processes keep their files. */
  folder: string;
  timeScale: number;
  /**
   * A module that the gateways import first. The module causes faults that cannot be caused from outside the
   * processes.
   */
  preload?: string;
}

/** The settings of the processes, which each subclass of `World` chooses. */
interface Processes {
  /** The names of the gateways. */
  gateways: readonly string[];
  /** Additional arguments of each gateway and of each terminal. */
  gatewayArgs?: readonly string[];
  terminalArgs?: readonly string[];
  /**
   * Whether there are thousands of terminals. The first gateway imports them before the other gateways start. Then
   * no terminal has a process of its own.
   */
  fleet?: boolean;
  /** The time, in ms, that a busy machine and the faults of gateways may add to an answer. */
  slackMs: number;
}

/** Gateways and terminals as processes that can be killed and started again. */
export abstract class World {
  readonly gateways: readonly GatewayProcess[];
  readonly terminalProcesses: Terminals;
  /** The time limit for an answer, in ms. */
  readonly answerLimitMs: number;
  readonly #options: WorldOptions;
  readonly #firstAlone: boolean;
  #ready: GatewayReady | undefined;

  protected constructor(options: WorldOptions, processes: Processes) {
    const { folder, timeScale, preload, terminals = usualTerminals } = options;
    const { gateways, gatewayArgs, terminalArgs, fleet = false, slackMs } = processes;
    this.#options = options;
    this.#firstAlone = fleet;
    this.gateways = gateways.map(
      (name) => new GatewayProcess({ name, folder, timeScale, preload, args: gatewayArgs }),
    );
    const count = fleet ? 0 : terminals;
    this.terminalProcesses = new Terminals(this, { folder, timeScale, count, args: terminalArgs });
    // The longest time for which the gateway holds an answer (B41), multiplied by the time scale, plus the time that a
    // busy machine and faults may add.
    this.answerLimitMs = 190_000 * timeScale + slackMs;
  }

  abstract get url(): string;
  /** Whether a request that was sent at `atMs` may be refused with 503 because it could not be stored (B68). */
  abstract mayRefuseSince(atMs: number): boolean;
  /** Returns all rows of every table. The keys are the tables' names. The processes must have stopped. */
  abstract tables(): Promise<Record<string, Record<string, unknown>[]>>;

  async start(): Promise<void> {
    mkdirSync(this.logs, { recursive: true });
    writeFileSync(
      join(this.#options.folder, 'pinpad.yaml'),
      JSON.stringify(makeLoadConfiguration(this.#options)),
    );
    await this.startGateways();
    await this.terminalProcesses.start();
  }

  protected async startGateways(): Promise<void> {
    const [first, ...others] = this.gateways;
    const starting = first?.start();
    if (this.#firstAlone) await starting;
    await Promise.all(others.map((gateway) => gateway.start()));
    this.#ready = await starting;
  }

  /**
   * Starts a gateway that was killed, as its supervisor would. With `failedStartMs`, a first process is killed this
   * many milliseconds after its start, and then another process is started.
   */
  async startAgain(gateway: GatewayProcess, failedStartMs?: number): Promise<void> {
    await gateway.start(failedStartMs);
  }

  /** Stops the gateways and terminals. {@link remove} removes the rest. */
  async stop(): Promise<void> {
    await this.terminalProcesses.stop();
    await Promise.all(this.gateways.map((gateway) => gateway.stop()));
  }

  async remove(): Promise<void> {}

  /**
   * The folder with everything that the processes wrote to standard error. Each process has a file there. The files
   * include the journals of killed processes.
   */
  get logs(): string {
    return join(this.#options.folder, 'logs');
  }
  get token(): string {
    return this.known.token;
  }
  get controlToken(): string {
    return this.known.controlToken;
  }
  get terminals(): readonly KnownTerminal[] {
    return this.known.terminals.slice(0, this.#options.terminals ?? usualTerminals);
  }
  /** The terminals of the additional accounts. No process is started for them. */
  get otherTerminals(): readonly KnownTerminal[] {
    return this.known.terminals.slice(this.terminals.length);
  }
  /** Whether a gateway is up. */
  get reachable(): boolean {
    return this.gateways.some(({ up }) => up);
  }

  /** Whether a request that was sent at `atMs` may have been cut off by the kill of a gateway. */
  gatewayWasDownSince(atMs: number): boolean {
    return this.gateways.some((gateway) => gateway.wasDownSince(atMs));
  }

  /** Empties the logs, because their lines do not explain what happens from now on. */
  forgetLogs(): void {
    for (const name of readdirSync(this.logs)) writeFileSync(join(this.logs, name), '');
  }

  protected get known(): GatewayReady {
    if (!this.#ready) throw new Error('no gateway was started');
    return this.#ready;
  }
}

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Configured, configuration, usualTerminals } from './configuration.ts';
import { GatewayProcess, type GatewayReady } from './gateway-process.ts';
import { type KnownTerminal, Terminals } from './terminals.ts';

export interface WorldOptions extends Configured {
  /** Where the processes keep everything. */
  folder: string;
  timeScale: number;
  /** A module that the gateways import first, to do from inside what cannot be done to a process from outside. */
  preload?: string;
}

/** What the processes of one world have that those of another do not. */
interface Processes {
  /** The name of each gateway. */
  gateways: readonly string[];
  /** Of each gateway and each terminal, beside the usual. */
  gatewayArgs?: readonly string[];
  terminalArgs?: readonly string[];
  /** Thousands of terminals: the first gateway brings them in before the others start, and they have no process each. */
  fleet?: boolean;
  /** What a busy machine, and what is done to the gateways, may add to the time of an answer. */
  slackMs: number;
}

/** Gateways and terminals as processes, which can be killed and started again. */
export abstract class World {
  readonly gateways: readonly GatewayProcess[];
  readonly terminalProcesses: Terminals;
  /** An answer that takes longer is none. */
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
    // The longest hold of an answer (B41), and what is added to it.
    this.answerLimitMs = 190_000 * timeScale + slackMs;
  }

  abstract get url(): string;
  /** True when a request sent at `atMs` may be refused with 503, because it could not be stored (B68). */
  abstract mayRefuseSince(atMs: number): boolean;
  /** Every table by its name, with all rows; the processes must have stopped. */
  abstract tables(): Promise<Record<string, Record<string, unknown>[]>>;

  async start(): Promise<void> {
    mkdirSync(this.logs, { recursive: true });
    writeFileSync(join(this.#options.folder, 'pinpad.yaml'), JSON.stringify(configuration(this.#options)));
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

  /** Starts one that was killed, as whatever watches over it would. With `failedStartMs` a first try is killed so long after it began. */
  async startAgain(gateway: GatewayProcess, failedStartMs?: number): Promise<void> {
    await gateway.start(failedStartMs);
  }

  /** Stops the gateways and terminals; {@link remove} does the rest. */
  async stop(): Promise<void> {
    await this.terminalProcesses.stop();
    await Promise.all(this.gateways.map((gateway) => gateway.stop()));
  }

  async remove(): Promise<void> {}

  /** Everything the processes wrote to standard error, a file each: the journals of those that were killed too. */
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
  /** Those of the further accounts; no process is started for them. */
  get otherTerminals(): readonly KnownTerminal[] {
    return this.known.terminals.slice(this.terminals.length);
  }
  /** A gateway is up. */
  get reachable(): boolean {
    return this.gateways.some(({ up }) => up);
  }

  /** True when a request sent at `atMs` may have been cut by a kill of a gateway. */
  gatewayWasDownSince(atMs: number): boolean {
    return this.gateways.some((gateway) => gateway.wasDownSince(atMs));
  }

  /** What was written so far explains nothing that is still to come. */
  forgetLogs(): void {
    for (const name of readdirSync(this.logs)) writeFileSync(join(this.logs, name), '');
  }

  protected get known(): GatewayReady {
    if (!this.#ready) throw new Error('no gateway was started');
    return this.#ready;
  }
}

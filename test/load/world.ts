import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import type { NodeProcess } from '../node-process.ts';
import { type Configured, configuration, usualTerminals } from './configuration.ts';
import { GatewayProcess, type GatewayReady, type StepKill } from './gateway-process.ts';
import type { Loaded } from './loaded.ts';
import { type KnownTerminal, Terminals } from './terminals.ts';

export interface WorldOptions extends Configured {
  /** Where the processes keep everything. */
  folder: string;
  timeScale: number;
  /** A module that the gateway imports first, to do from inside what cannot be done to a process from outside. */
  preload?: string;
}

/** One gateway and some terminals as real processes on a data folder each, which can be killed and started again. */
export class World implements Loaded {
  readonly answerLimitMs: number;
  readonly #options: WorldOptions;
  readonly #gateway: GatewayProcess;
  readonly #terminals: Terminals;
  #ready: GatewayReady | undefined;
  #diskFull = false;
  #writableSince = 0;

  constructor(options: WorldOptions) {
    const { folder, timeScale, preload, terminals: count = usualTerminals } = options;
    this.#options = options;
    this.#gateway = new GatewayProcess({ name: 'gateway', folder, timeScale, preload });
    this.#terminals = new Terminals(this, { folder, timeScale, count });
    // The longest hold of an answer (B41), and what a busy machine may add.
    this.answerLimitMs = 190_000 * timeScale + 15_000;
  }

  async start(): Promise<void> {
    mkdirSync(this.logs, { recursive: true });
    writeFileSync(join(this.#options.folder, 'pinpad.yaml'), JSON.stringify(configuration(this.#options)));
    await this.startGateway();
    await this.#terminals.start();
  }

  async stop(): Promise<void> {
    await this.#terminals.stop();
    await this.#gateway.stop();
  }

  get logs(): string {
    return join(this.#options.folder, 'logs');
  }

  /** Where the gateway keeps its data. */
  get gatewayData(): string {
    return this.#gateway.data;
  }

  async tables(): Promise<Record<string, Record<string, unknown>[]>> {
    const file = join(this.gatewayData, 'pinpad.sqlite');
    if (!existsSync(file)) return {};
    const db = new SQLite(file, { readonly: true });
    const names = db
      .prepare<[], { name: string }>("select name from sqlite_schema where type = 'table'")
      .all();
    const rowsOf = (name: string) => db.prepare<[], Record<string, unknown>>(`select * from "${name}"`).all();
    const tables = Object.fromEntries(names.map(({ name }) => [name, rowsOf(name)]));
    db.close();
    return tables;
  }

  /** What was written so far explains nothing that is still to come. */
  forgetLogs(): void {
    for (const name of readdirSync(this.logs)) writeFileSync(join(this.logs, name), '');
  }

  get url(): string {
    return this.#known.url;
  }
  get token(): string {
    return this.#known.token;
  }
  get controlToken(): string {
    return this.#known.controlToken;
  }
  get terminals(): readonly KnownTerminal[] {
    return this.#known.terminals.slice(0, this.#terminals.count);
  }
  /** Those of the further accounts; no process is started for them. */
  get otherTerminals(): readonly KnownTerminal[] {
    return this.#known.terminals.slice(this.#terminals.count);
  }

  gatewayWasDownSince(atMs: number): boolean {
    return this.#gateway.wasDownSince(atMs);
  }

  /** Whether the gateway's disk is full. */
  set diskFull(full: boolean) {
    this.#diskFull = full;
    if (!full) this.#writableSince = Date.now();
  }

  mayRefuseSince(atMs: number): boolean {
    return this.#diskFull || this.#writableSince >= atMs;
  }

  /** Its gateway's process. */
  get gateway(): NodeProcess<unknown> {
    return this.#gateway.process;
  }

  get reachable(): boolean {
    return this.#gateway.up;
  }

  /** With `failedStartMs` a first try is killed so long after it began. */
  async startGateway(failedStartMs?: number): Promise<void> {
    this.#ready = await this.#gateway.start(failedStartMs);
  }

  /** See {@link GatewayProcess.kill}. */
  killGateway(at?: StepKill, withinMs?: number): Promise<boolean> {
    return this.#gateway.kill(at, withinMs);
  }

  startTerminal(nth: number, failedStartMs?: number): Promise<void> {
    return this.#terminals.startOne(nth, failedStartMs);
  }

  killTerminal(nth: number): Promise<void> {
    return this.#terminals.kill(nth);
  }

  /** See {@link Terminals.wipe}. */
  wipeTerminal(nth: number): void {
    this.#terminals.wipe(nth);
  }

  get #known(): GatewayReady {
    if (!this.#ready) throw new Error('the gateway was never started');
    return this.#ready;
  }
}

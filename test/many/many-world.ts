import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Configured, configuration, usualTerminals } from '../load/configuration.ts';
import { GatewayProcess, type GatewayReady } from '../load/gateway-process.ts';
import type { Loaded } from '../load/loaded.ts';
import { type KnownTerminal, Terminals } from '../load/terminals.ts';
import { NatsServer } from '../nats-server.ts';
import { PostgresServer } from '../postgres-server.ts';
import { Balancer } from './balancer.ts';

interface ManyWorldOptions extends Configured {
  /** Where the processes keep everything. */
  folder: string;
  timeScale: number;
  gateways: number;
  /** Thousands of terminals, which somebody else starts; the first gateway brings them in before the others start. */
  fleet?: boolean;
  /** Every terminal has a connection of its own, and stays away as long as a user's where another process has it. */
  ownLinks?: boolean;
  /** A module that the gateways import first. */
  preload?: string;
}

/**
 * Whatever the scale of time: a terminal that is displaced by mistake is away for a minute, or nobody would see it; and a link
 * does not end because the machine is busy with the processes of this test.
 */
const ofLinks = { displacedMs: 60_000, acknowledgeMs: 2_000, heartbeatMs: 2_000 };

function configured({ ownLinks, settings, ...options }: ManyWorldOptions): Configured {
  if (!ownLinks) return { ...options, settings };
  return { ...options, settings: { ...settings, timeouts: { ...ofLinks, ...settings?.timeouts } } };
}

/** Several gateways on one PostgreSQL and one NATS, behind a balancer, and terminals: processes that can be killed and started again. */
export class ManyWorld implements Loaded {
  readonly answerLimitMs: number;
  readonly gateways: readonly GatewayProcess[];
  readonly terminalProcesses: Terminals;
  readonly balancer: Balancer;
  readonly postgres: PostgresServer;
  readonly nats: NatsServer;
  readonly #options: ManyWorldOptions;
  /** Its URL. */
  readonly database: string;
  #ready: GatewayReady | undefined;
  #databaseDown = false;
  #databaseUpSince = 0;
  #databaseBack: Promise<void> = Promise.resolve();
  /** A gateway hangs, or hung until then. */
  #hangs = 0;
  #hungUntil = 0;

  private constructor(
    options: ManyWorldOptions,
    parts: { balancer: Balancer; postgres: PostgresServer; database: string; nats: NatsServer },
  ) {
    const { folder, timeScale, preload, fleet, terminals: count = usualTerminals } = options;
    this.#options = options;
    this.balancer = parts.balancer;
    this.postgres = parts.postgres;
    this.nats = parts.nats;
    this.database = parts.database;
    const args = [`--database=${this.database}`, `--nats=${parts.nats.url()}`];
    this.gateways = Array.from(
      { length: options.gateways },
      (_, nth) => new GatewayProcess({ name: `gateway-${nth}`, folder, timeScale, preload, args }),
    );
    this.terminalProcesses = new Terminals(this, {
      folder,
      timeScale,
      count: fleet ? 0 : count,
      args: options.ownLinks ? ['--own-links'] : [],
    });
    // The longest hold of an answer (B41), how long a gateway may hang, and what a busy machine may add.
    this.answerLimitMs = 190_000 * timeScale + 40_000;
  }

  /** Starts everything. */
  static async start(options: ManyWorldOptions): Promise<ManyWorld> {
    const [balancer, postgres, nats] = await Promise.all([
      Balancer.start(),
      PostgresServer.start(),
      NatsServer.start(),
    ]);
    const database = await postgres.newUrl();
    const world = new ManyWorld(options, { balancer, postgres, database, nats });
    mkdirSync(world.logs, { recursive: true });
    writeFileSync(join(options.folder, 'pinpad.yaml'), JSON.stringify(configuration(configured(options))));
    const [first, ...others] = world.gateways;
    const starting = first?.start();
    if (options.fleet) await starting;
    await Promise.all(others.map((gateway) => gateway.start()));
    world.#ready = await starting;
    balancer.gateways = world.gateways.map(({ port }) => port);
    if (!options.fleet) await world.terminalProcesses.start();
    return world;
  }

  /** Stops the gateways and terminals; {@link remove} does the rest. */
  async stop(): Promise<void> {
    await this.terminalProcesses.stop();
    await Promise.all(this.gateways.map((gateway) => gateway.stop()));
  }

  async remove(): Promise<void> {
    this.balancer.stop();
    await Promise.all([this.postgres.remove(), this.nats.remove()]);
  }

  get ownLinks(): boolean {
    return this.#options.ownLinks === true;
  }
  get logs(): string {
    return join(this.#options.folder, 'logs');
  }
  get url(): string {
    return this.balancer.url;
  }
  get token(): string {
    return this.#known.token;
  }
  get controlToken(): string {
    return this.#known.controlToken;
  }
  get terminals(): readonly KnownTerminal[] {
    return this.#known.terminals;
  }
  get reachable(): boolean {
    return this.gateways.some(({ up }) => up);
  }

  gatewayWasDownSince(atMs: number): boolean {
    return this.gateways.some((gateway) => gateway.wasDownSince(atMs));
  }

  /** While the database is away, and where a gateway hung and finds its work done by others. */
  mayRefuseSince(atMs: number): boolean {
    const database = this.#databaseDown || this.#databaseUpSince >= atMs;
    return database || this.#hangs > 0 || this.#hungUntil >= atMs || this.gatewayWasDownSince(atMs);
  }

  async tables(): Promise<Record<string, Record<string, unknown>[]>> {
    const sql = (text: string) => this.postgres.sql(text, this.database);
    const tables: Record<string, Record<string, unknown>[]> = {};
    const names = await sql("select tablename from pg_tables where schemaname = 'public'");
    for (const name of names.split('\n'))
      tables[name] = JSON.parse(await sql(`select coalesce(json_agg(t), '[]') from "${name}" t`));
    return tables;
  }

  /** What was written so far explains nothing that is still to come. */
  forgetLogs(): void {
    for (const name of readdirSync(this.logs)) writeFileSync(join(this.logs, name), '');
  }

  /** The database is away while `meanwhile`. */
  async withoutDatabase(meanwhile: () => Promise<void>): Promise<void> {
    this.#databaseDown = true;
    const back = Promise.withResolvers<void>();
    this.#databaseBack = back.promise;
    await this.postgres.kill();
    await meanwhile();
    await this.postgres.run();
    this.#databaseUpSince = Date.now() + 1_000; // until every gateway has found it
    this.#databaseDown = false;
    back.resolve();
  }

  /** Starts a gateway as whatever watches over it would: again, where the database was away and it could not start. */
  async startAgain(gateway: GatewayProcess, failedStartMs: number | undefined): Promise<void> {
    const begunAt = Date.now();
    try {
      await gateway.start(failedStartMs);
    } catch (error) {
      if (!this.#databaseDown && this.#databaseUpSince < begunAt) throw error;
      await this.#databaseBack;
      await gateway.start();
    }
  }

  /** A gateway hangs, as one does whose machine is paused, while `meanwhile`. */
  async withPaused(gateway: GatewayProcess, meanwhile: () => Promise<void>): Promise<void> {
    const { pid } = gateway.process;
    this.#hangs++;
    process.kill(pid, 'SIGSTOP');
    await meanwhile();
    process.kill(pid, 'SIGCONT');
    this.#hungUntil = Date.now() + 1_000; // until it knows that it hung
    this.#hangs--;
  }

  get #known(): GatewayReady {
    if (!this.#ready) throw new Error('no gateway was started');
    return this.#ready;
  }
}

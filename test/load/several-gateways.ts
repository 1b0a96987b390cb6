import { Balancer } from '../balancer.ts';
import { NatsServer } from '../nats-server.ts';
import { PostgresServer } from '../postgres-server.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { World, type WorldOptions } from './world.ts';

interface SeveralOptions extends WorldOptions {
  gateways: number;
  /** Thousands of terminals, which somebody else starts. */
  fleet?: boolean;
  /** Every terminal has a connection of its own, and stays away as long as a user's where another process has it. */
  ownLinks?: boolean;
}

/** What they share, and what stands in front of them. */
interface Servers {
  balancer: Balancer;
  postgres: PostgresServer;
  /** Its URL. */
  database: string;
  nats: NatsServer;
}

/**
 * Whatever the scale of time: a terminal that is displaced by mistake is away for a minute, or nobody would see it; and a link
 * does not end because the machine is busy with the processes of this test.
 */
const ofLinks = { displacedMs: 60_000, acknowledgeMs: 2_000, heartbeatMs: 2_000 };

/** Several gateways on one PostgreSQL and one NATS, behind a balancer, and terminals. */
export class SeveralGateways extends World {
  readonly balancer: Balancer;
  readonly database: string;
  readonly nats: NatsServer;
  readonly #postgres: PostgresServer;
  #databaseDown = false;
  #databaseUpSince = 0;
  #databaseBack: Promise<void> = Promise.resolve();
  /** So many gateways hang; and one hung until then. */
  #hangs = 0;
  #hungUntil = 0;

  private constructor(options: SeveralOptions, { balancer, postgres, database, nats }: Servers) {
    const { ownLinks, fleet } = options;
    super(ownLinks ? { ...options, settings: { timeouts: ofLinks } } : options, {
      gateways: Array.from({ length: options.gateways }, (_, nth) => `gateway-${nth}`),
      gatewayArgs: [`--database=${database}`, `--nats=${nats.url()}`],
      terminalArgs: ownLinks ? ['--own-links'] : [],
      fleet,
      slackMs: 40_000, // a gateway may hang, too
    });
    this.balancer = balancer;
    this.#postgres = postgres;
    this.database = database;
    this.nats = nats;
  }

  /** With servers that run, and gateways that do not yet. */
  static async open(options: SeveralOptions): Promise<SeveralGateways> {
    const [balancer, postgres, nats] = await Promise.all([
      Balancer.start(),
      PostgresServer.start(),
      NatsServer.start(),
    ]);
    return new SeveralGateways(options, { balancer, postgres, database: await postgres.newUrl(), nats });
  }

  protected override async startGateways(): Promise<void> {
    await super.startGateways();
    this.balancer.gateways = this.gateways.map(({ port }) => port);
  }

  override async remove(): Promise<void> {
    this.balancer.stop();
    await Promise.all([this.#postgres.remove(), this.nats.remove()]);
  }

  get url(): string {
    return this.balancer.url;
  }

  /** While the database is away, and where a gateway hung and finds its work done by others. */
  mayRefuseSince(atMs: number): boolean {
    const database = this.#databaseDown || this.#databaseUpSince >= atMs;
    return database || this.#hangs > 0 || this.#hungUntil >= atMs || this.gatewayWasDownSince(atMs);
  }

  async tables(): Promise<Record<string, Record<string, unknown>[]>> {
    const sql = (text: string) => this.#postgres.sql(text, this.database);
    const tables: Record<string, Record<string, unknown>[]> = {};
    const names = await sql("select tablename from pg_tables where schemaname = 'public'");
    for (const name of names.split('\n'))
      tables[name] = JSON.parse(await sql(`select coalesce(json_agg(t), '[]') from "${name}" t`));
    return tables;
  }

  /** The database is away while `meanwhile`. */
  async withoutDatabase(meanwhile: () => Promise<void>): Promise<void> {
    this.#databaseDown = true;
    const back = Promise.withResolvers<void>();
    this.#databaseBack = back.promise;
    await this.#postgres.kill();
    await meanwhile();
    await this.#postgres.run();
    this.#databaseUpSince = Date.now() + 1_000; // until every gateway has found it
    this.#databaseDown = false;
    back.resolve();
  }

  /** Once more, where the database was away and it could not start. */
  override async startAgain(gateway: GatewayProcess, failedStartMs?: number): Promise<void> {
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
}

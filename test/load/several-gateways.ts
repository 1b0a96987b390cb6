import { Balancer } from '../balancer.ts';
import { NatsServer } from '../nats-server.ts';
import { PostgresServer } from '../postgres-server.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { World, type WorldOptions } from './world.ts';

interface SeveralOptions extends WorldOptions {
  gateways: number;
  /** Whether there are thousands of terminals. If so, another program starts them. */
  fleet?: boolean;
  /**
   * Whether every terminal has a connection of its own. A terminal that another process displaces then dials again only
   * after a pause, which is as long as for a user's terminal.
   */
  ownLinks?: boolean;
}

/** The servers that the gateways share, and the balancer in front of them. */
interface Servers {
  balancer: Balancer;
  postgres: PostgresServer;
  /** The database's URL. */
  database: string;
  nats: NatsServer;
}

/**
 * These times are not multiplied by the time scale of the trial. `displacedMs` is a minute. A terminal that is
 * displaced by mistake stays away for that minute, so that the mistake is noticed. `acknowledgeMs` and `heartbeatMs`
 * are long enough that no link ends only because the processes of this trial keep the machine busy.
 */
const ofLinks = { displacedMs: 60_000, acknowledgeMs: 2_000, heartbeatMs: 2_000 };

/** Several gateways on one PostgreSQL database and one NATS server, behind a balancer, with terminals. */
export class SeveralGateways extends World {
  readonly balancer: Balancer;
  readonly database: string;
  readonly nats: NatsServer;
  readonly #postgres: PostgresServer;
  #databaseDown = false;
  #databaseUpSince = 0;
  #databaseBack: Promise<void> = Promise.resolve();
  /**
   * `#hangs` is the number of gateways that are paused now. `#hungUntil` is the time at which the effects of the last
   * pause end.
   */
  #hangs = 0;
  #hungUntil = 0;

  private constructor(options: SeveralOptions, { balancer, postgres, database, nats }: Servers) {
    const { ownLinks, fleet } = options;
    super(ownLinks ? { ...options, settings: { timeouts: ofLinks } } : options, {
      gateways: Array.from({ length: options.gateways }, (_, nth) => `gateway-${nth}`),
      gatewayArgs: [`--database=${database}`, `--nats=${nats.url()}`],
      terminalArgs: ownLinks ? ['--own-links'] : [],
      fleet,
      slackMs: 40_000, // a gateway that is paused may take this long to answer
    });
    this.balancer = balancer;
    this.#postgres = postgres;
    this.database = database;
    this.nats = nats;
  }

  /** Starts the servers. The gateways are not started yet. */
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

  /**
   * Whether requests may be refused. They may be refused while the database is away and while a gateway is down. They
   * may also be refused after a gateway was paused, because this gateway then finds that the other gateways did its
   * work.
   */
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

  /** Takes the database away while `meanwhile` runs. */
  async withoutDatabase(meanwhile: () => Promise<void>): Promise<void> {
    this.#databaseDown = true;
    const back = Promise.withResolvers<void>();
    this.#databaseBack = back.promise;
    await this.#postgres.kill();
    await meanwhile();
    await this.#postgres.run();
    this.#databaseUpSince = Date.now() + 1_000; // one second after its start, every gateway has found it again
    this.#databaseDown = false;
    back.resolve();
  }

  /** Starts a gateway. If the start fails because the database is away, starts it once more. */
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

  /** Pauses a gateway's process while `meanwhile` runs, as if its machine stood still. */
  async withPaused(gateway: GatewayProcess, meanwhile: () => Promise<void>): Promise<void> {
    const { pid } = gateway.process;
    this.#hangs++;
    process.kill(pid, 'SIGSTOP');
    await meanwhile();
    process.kill(pid, 'SIGCONT');
    this.#hungUntil = Date.now() + 1_000; // one second after a pause, the gateway knows that it was paused
    this.#hangs--;
  }
}

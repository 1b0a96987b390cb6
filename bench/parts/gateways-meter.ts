import { readdirSync, readFileSync } from 'node:fs';
import type { NatsServer } from '../../test/nats-server.ts';
import type { PostgresServer } from '../../test/postgres-server.ts';
import type { GatewaysTarget } from '../targets/start-gateways.ts';
import type { Target } from '../targets/target.ts';
import type { BackendWaits, PostgresWatch } from './postgres-watch.ts';

/**
 * The gateways, and their database if it is PostgreSQL. If no gateways are given, the target's first process is the
 * gateway.
 */
export type MeteredGateways = Partial<Pick<GatewaysTarget, 'gateways' | 'database'>>;

/**
 * The work that the gateways and the database do. The processor time of gateways is the sum over all gateways. The
 * processor time of the database includes its server and all backends.
 */
export interface MeteredWork {
  gatewaysUs: number;
  postgresUs: number;
  natsUs: number;
  /** Round trips from gateways to PostgreSQL. In each of them, a gateway sends one Sync and waits for the answer. */
  roundTrips: number;
  statements: number;
  /** The kilobytes that were added to the server's log. */
  logKb: number;
  flushes: number;
}

/** Measures how much work the gateways, PostgreSQL and NATS do during a load. */
export class GatewaysMeter {
  readonly #postgres: PostgresServer;
  readonly #nats: NatsServer;
  readonly #watch: PostgresWatch;

  constructor(postgres: PostgresServer, nats: NatsServer, watch: PostgresWatch) {
    this.#postgres = postgres;
    this.#nats = nats;
    this.#watch = watch;
  }

  /**
   * Begins to measure the work that is done while a target is under load. Returns the function that ends the
   * measurement. With `sampled`, also takes samples of the database's waits.
   */
  async begin(target: Target & MeteredGateways, { sampled }: { sampled: boolean }) {
    const waiting = this.#watch.waits(sampled ? target.database : undefined);
    const before = await this.#read(target);
    const startedAt = performance.now();
    return async () => {
      const elapsedMs = performance.now() - startedAt;
      const waited = await waiting.end();
      const after = await this.#read(target);
      /** Returns the work per payment. Work that is also done without any payment is subtracted first. */
      const each = (count: number, idlePerMs?: MeteredWork): MeteredWork =>
        combined(
          after,
          before,
          (now, then, what) => (now - then - elapsedMs * (idlePerMs?.[what] ?? 0)) / count,
        );
      return { elapsedMs, each, waits: (count: number): BackendWaits => waited(elapsedMs, count) };
    };
  }

  async #read({
    processes,
    gateways = processes.slice(0, 1),
    database,
  }: Target & MeteredGateways): Promise<MeteredWork> {
    const cpu = await Promise.all(gateways.map((gateway) => gateway.cpu()));
    const trips =
      database === undefined ? [] : await Promise.all(gateways.map((gateway) => gateway.roundTrips()));
    return {
      gatewaysUs: cpu.reduce((sum, { cpuMs }) => sum + cpuMs * 1000, 0),
      postgresUs: familyCpuUs(this.#postgres.pid, this.#watch.pid),
      natsUs: familyCpuUs(this.#nats.pid),
      roundTrips: trips.reduce((sum, { roundTrips }) => sum + roundTrips, 0),
      ...(await this.#watch.counted(database)),
    };
  }
}

function combined(
  one: MeteredWork,
  other: MeteredWork,
  combine: (one: number, other: number, what: keyof MeteredWork) => number,
): MeteredWork {
  const names = Object.keys(one) as (keyof MeteredWork)[];
  return Object.fromEntries(names.map((what) => [what, combine(one[what], other[what], what)])) as never;
}

/**
 * Returns the processor time of a process and its children, but without the time of the child `except`. Works on
 * Linux only.
 */
function familyCpuUs(pid: number, except?: number): number {
  const ticks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat !== undefined)
    .filter((stat) => (stat.pid === pid || stat.parent === pid) && stat.pid !== except)
    .reduce((sum, stat) => sum + stat.ticks, 0);
  return ticks * 10_000; // there are 100 ticks in a second
}

function statOf(name: string): { pid: number; parent: number; ticks: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { pid: Number(name), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined; // the process has ended meanwhile
  }
}

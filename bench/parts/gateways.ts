import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { hasNats, NatsServer } from '../../test/nats-server.ts';
import { hasPostgres, PostgresServer } from '../../test/postgres-server.ts';
import type { Figure } from '../figure.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { Part } from '../part.ts';
import { median } from '../statistics.ts';
import { table } from '../table.ts';
import { type GatewaysTarget, startGateways } from '../targets/start-gateways.ts';
import { startPinpad } from '../targets/start-pinpad.ts';
import { stopTarget, type Target } from '../targets/target.ts';

const terminals = 128;
const subjects = ['SQLite', 'the owner', 'via another', 'of 2 gateways', 'of 4 gateways'] as const;
type Subject = (typeof subjects)[number];

/** What a payment takes, by part, in µs of CPU; and of the database. */
interface Costs {
  perSecond: number;
  p99Ms: number;
  gateways: number;
  postgres: number;
  nats: number;
  /** Of gateways to PostgreSQL. */
  roundTrips: number;
  statements: number;
  /** How much of the time of all its connections somebody waited for a lock, in percent. */
  locked: number;
}

/** Payments on PostgreSQL, beside the same on SQLite: by the gateway that has the terminal, by another, and by any of several. */
export const gateways: Part = {
  name: 'gateways',
  summary: 'what a payment costs gateway, PostgreSQL and NATS, with one gateway and with several',
  async run({ quick, log }) {
    if (!hasPostgres() || !hasNats()) return [];
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-bench-'));
    const postgres = await PostgresServer.start({
      fsync: 'on',
      max_connections: '200',
      shared_preload_libraries: 'pg_stat_statements',
      'pg_stat_statements.track_utility': 'off',
    });
    const nats = await NatsServer.start();
    const load = new LoadProcess();
    const running: Target[] = [];
    try {
      postgres.sql('create extension pg_stat_statements');
      const meter = new Meter(postgres, nats, load);
      const costs = new Map<Subject, { alone: Costs; busy: Costs }>();
      for (const subject of subjects) {
        const common = { folder: join(folder, subject), postgres, nats, terminals };
        const target =
          subject === 'SQLite'
            ? await startPinpad({ data: common.folder, terminals, split: true })
            : await startGateways({ ...common, ...shapes[subject] });
        running.push(target);
        costs.set(subject, {
          alone: await meter.costs(target, 1, quick),
          busy: await meter.costs(target, 64, quick),
        });
        await stopTarget(running.pop() as Target);
      }
      log(shown('1 in flight', costs, 'alone'));
      log(shown('64 in flight', costs, 'busy'));
      return figuresOf(costs);
    } finally {
      load.stop();
      for (const target of running) await stopTarget(target);
      await postgres.remove();
      await nats.remove();
      rmSync(folder, { recursive: true });
    }
  },
};

const shapes: Record<Exclude<Subject, 'SQLite'>, { count: number; via?: boolean }> = {
  'the owner': { count: 1 },
  'via another': { count: 2, via: true },
  'of 2 gateways': { count: 2 },
  'of 4 gateways': { count: 4 },
};

function figuresOf(costs: ReadonlyMap<Subject, { alone: Costs; busy: Costs }>): Figure[] {
  const of = (subject: Subject, what: keyof Costs, when: 'alone' | 'busy') =>
    costs.get(subject)?.[when][what] ?? Number.NaN;
  const overSqlite = (subject: Subject) => of(subject, 'gateways', 'busy') / of('SQLite', 'gateways', 'busy');
  return [
    {
      name: "gateways' CPU of a payment at its owner, over SQLite's",
      value: overSqlite('the owner'),
      unit: 'ratio',
      aim: { atMost: 1.5 },
    },
    {
      name: "gateways' CPU of a payment via another gateway, over SQLite's",
      value: overSqlite('via another'),
      unit: 'ratio',
      aim: { atMost: 2.2 },
    },
    {
      name: 'round trips to PostgreSQL for a payment at its owner, 1 in flight',
      value: of('the owner', 'roundTrips', 'alone'),
      unit: 'each',
      aim: { atMost: 4 },
    },
    {
      name: 'the same via another gateway',
      value: of('via another', 'roundTrips', 'alone'),
      unit: 'each',
    },
    {
      name: "PostgreSQL's CPU of a payment, of 4 gateways over 1",
      value: of('of 4 gateways', 'postgres', 'busy') / of('the owner', 'postgres', 'busy'),
      unit: 'ratio',
    },
  ];
}

function shown(
  title: string,
  costs: ReadonlyMap<Subject, { alone: Costs; busy: Costs }>,
  when: 'alone' | 'busy',
): string {
  const rows = subjects.map((subject) => {
    const of = costs.get(subject)?.[when];
    const digits = (what: keyof Costs, count = 0) => of?.[what].toFixed(count) ?? '';
    return [
      subject,
      digits('perSecond'),
      digits('p99Ms', 1),
      digits('gateways'),
      digits('postgres'),
      digits('nats'),
      digits('roundTrips', 1),
      digits('statements', 1),
      digits('locked', 2),
    ];
  });
  const heads = ['per s', 'p99 ms', 'gateways µs', 'PostgreSQL µs', 'NATS µs', 'round trips', 'statements'];
  return table([[title, ...heads, 'waits for locks %'], ...rows]);
}

/** Reads what the parts did before and after a load, and takes off what they do when nothing is asked. */
class Meter {
  readonly #postgres: PostgresServer;
  readonly #nats: NatsServer;
  readonly #load: LoadProcess;

  constructor(postgres: PostgresServer, nats: NatsServer, load: LoadProcess) {
    this.#postgres = postgres;
    this.#nats = nats;
    this.#load = load;
  }

  async costs(target: Target & Partial<GatewaysTarget>, concurrency: number, quick: boolean): Promise<Costs> {
    const durationMs = quick ? 700 : 3000;
    const how = { operation: 'payment', concurrency, durationMs, target: loadOf(target) } as const;
    await this.#load.run(how); // warm
    const idle = await this.#during(target, () => setTimeout(durationMs));
    const rounds: Costs[] = [];
    for (let round = 0; round < (quick ? 1 : 5); round++) {
      const { result, ...took } = await this.#during(target, () => this.#load.run(how));
      const each = (what: keyof typeof took) => (Number(took[what]) - Number(idle[what])) / result.count;
      rounds.push({
        perSecond: result.perSecond,
        p99Ms: result.p99Ms,
        gateways: each('gatewaysMs') * 1000,
        postgres: each('postgresMs') * 1000,
        nats: each('natsMs') * 1000,
        roundTrips: each('roundTrips'),
        statements: each('statements'),
        locked: took.locked,
      });
    }
    const middle = (what: keyof Costs) => median(rounds.map((round) => round[what]));
    return {
      perSecond: middle('perSecond'),
      p99Ms: middle('p99Ms'),
      gateways: middle('gateways'),
      postgres: middle('postgres'),
      nats: middle('nats'),
      roundTrips: middle('roundTrips'),
      statements: middle('statements'),
      locked: middle('locked'),
    };
  }

  async #during<Result>(target: Target & Partial<GatewaysTarget>, work: () => Promise<Result>) {
    const before = await this.#read(target);
    let over = false;
    const watching = this.#watchLocks(target, () => over);
    const result = await work();
    over = true;
    const locked = await watching;
    const after = await this.#read(target);
    const took = (what: keyof typeof before) => after[what] - before[what];
    return {
      result,
      gatewaysMs: took('gatewaysMs'),
      postgresMs: took('postgresMs'),
      natsMs: took('natsMs'),
      roundTrips: took('roundTrips'),
      statements: took('statements'),
      locked,
    };
  }

  async #read({ processes, gateways = processes.slice(0, 1), database }: Target & Partial<GatewaysTarget>) {
    const cpu = await Promise.all(gateways.map((gateway) => gateway.cpu()));
    const trips =
      database === undefined ? [] : await Promise.all(gateways.map((gateway) => gateway.roundTrips()));
    const statements = database === undefined ? 0 : Number(this.#postgres.sql(statementsOf(database)));
    return {
      gatewaysMs: cpu.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
      postgresMs: familyCpuMs(this.#postgres.pid),
      natsMs: familyCpuMs(this.#nats.pid),
      roundTrips: trips.reduce((sum, { roundTrips }) => sum + roundTrips, 0),
      statements,
    };
  }

  async #watchLocks({ database }: Partial<GatewaysTarget>, over: () => boolean): Promise<number> {
    if (database === undefined) return 0;
    let [seen, waiting] = [0, 0];
    while (!over()) {
      const [all = 0, locked = 0] = this.#postgres.sql(waitsOf(database)).split('|').map(Number);
      seen += all;
      waiting += locked;
      await setTimeout(200);
    }
    return seen === 0 ? 0 : (waiting / seen) * 100;
  }
}

function loadOf({ url, urls, token, terminals: idle }: Target) {
  return { url, ...(urls ? { urls } : {}), token, terminals: idle };
}

const nameOf = (database: string) => new URL(database).pathname.slice(1);

const statementsOf = (database: string) => `
  select coalesce(sum(calls), 0) from pg_stat_statements
  where dbid = (select oid from pg_database where datname = '${nameOf(database)}')`;

const waitsOf = (database: string) => `
  select count(*), count(*) filter (where wait_event_type = 'Lock')
  from pg_stat_activity where datname = '${nameOf(database)}' and backend_type = 'client backend'`;

/** Processor time of a process and its children, in ms; Linux only, as the programs are. */
function familyCpuMs(pid: number): number {
  const ticks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat !== undefined)
    .filter((stat) => stat.pid === pid || stat.parent === pid)
    .reduce((sum, stat) => sum + stat.ticks, 0);
  return ticks * 10; // 100 a second
}

function statOf(name: string): { pid: number; parent: number; ticks: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { pid: Number(name), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined; // it has ended since
  }
}

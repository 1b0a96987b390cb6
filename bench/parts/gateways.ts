import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { hasNats, NatsServer } from '../../test/nats-server.ts';
import { hasPostgres } from '../../test/postgres-programs.ts';
import { PostgresServer } from '../../test/postgres-server.ts';
import type { Figure } from '../figure.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { LoadResult } from '../load/run-load.ts';
import type { BenchmarkPart } from '../part.ts';
import { median } from '../statistics.ts';
import { textTable } from '../table.ts';
import { startGateways } from '../targets/start-gateways.ts';
import { startMeasuredPinpad } from '../targets/start-pinpad.ts';
import { stopTarget, type Target } from '../targets/target.ts';
import { GatewaysMeter, type MeteredGateways, type MeteredWork } from './gateways-meter.ts';
import { type BackendWaits, PostgresWatch } from './postgres-watch.ts';

const terminals = 128;
const concurrencies = [1, 64] as const;
type Concurrency = (typeof concurrencies)[number];

const shapes = {
  'the owner': { count: 1 },
  'via another': { count: 2, via: true },
  'of 2 gateways': { count: 2 },
  'of 4 gateways': { count: 4 },
} as const;
type Subject = 'SQLite' | keyof typeof shapes;

/** The cost of one payment in a round; times are in µs. */
type Round = MeteredWork & Omit<BackendWaits, 'seen'> & Pick<LoadResult, 'perSecond' | 'p99Ms'>;

/**
 * An example of a PostgreSQL server. `cores` is the number of its cores. `busy` is the maximum load of the cores: 1
 * would mean that all cores are always busy.
 */
const server = { cores: 16, busy: 0.7 };

/**
 * Compares payments on PostgreSQL with the same payments on SQLite. The requests go to the gateway that owns the
 * terminal, to another gateway, or to all gateways in turn.
 */
export const gatewaysPart: BenchmarkPart = {
  name: 'gateways',
  summary:
    'the work that a payment causes at gateway, PostgreSQL and NATS, with one gateway and with several',
  async run({ quick, log }) {
    if (!hasPostgres() || !hasNats()) return [];
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-bench-'));
    const postgres = await PostgresServer.start({
      fsync: 'on',
      max_connections: '300',
      shared_preload_libraries: 'pg_stat_statements',
    });
    const nats = await NatsServer.start();
    const watch = await PostgresWatch.open(postgres);
    const load = new LoadProcess();
    const targets = new Map<Subject, Target & MeteredGateways>();
    try {
      targets.set(
        'SQLite',
        await startMeasuredPinpad({ data: join(folder, 'sqlite'), terminals, split: true }),
      );
      for (const [subject, shape] of Object.entries(shapes))
        targets.set(
          subject as Subject,
          await startGateways({ folder: join(folder, subject), postgres, nats, terminals, ...shape }),
        );
      const rounds = await new Bench(load, new GatewaysMeter(postgres, nats, watch), targets).run(quick);
      for (const concurrency of concurrencies) log(rounds.shown(concurrency));
      log(rounds.waits());
      log(rounds.idle());
      return figuresOf(rounds);
    } finally {
      load.stop();
      for (const target of targets.values()) await stopTarget(target);
      await watch.close();
      await postgres.remove();
      await nats.remove();
      rmSync(folder, { recursive: true });
    }
  },
};

/** Measures all subjects in turn, round after round, so that other work on the machine affects all of them equally. */
class Bench {
  readonly #load: LoadProcess;
  readonly #meter: GatewaysMeter;
  readonly #targets: ReadonlyMap<Subject, Target & MeteredGateways>;

  constructor(
    load: LoadProcess,
    meter: GatewaysMeter,
    targets: ReadonlyMap<Subject, Target & MeteredGateways>,
  ) {
    this.#load = load;
    this.#meter = meter;
    this.#targets = targets;
  }

  async run(quick: boolean): Promise<Rounds> {
    const durationMs = quick ? 700 : 3_000;
    for (const target of this.#targets.values())
      await this.#pay(target, 64, durationMs * (target.urls?.length ?? 1)); // warms up
    const idle = await this.#idle(quick ? 2_000 : 6_000);
    const rounds = new Rounds(idle);
    for (let round = 0; round < (quick ? 1 : 3); round++)
      for (const concurrency of concurrencies)
        for (const [subject, target] of this.#targets) {
          const end = await this.#meter.begin(target, { sampled: true });
          const result = await this.#pay(target, concurrency, durationMs);
          const { each, waits } = await end();
          const work = each(result.count, idle.get(subject));
          const { seen, ...waited } = waits(result.count);
          rounds.add(subject, concurrency, { ...work, ...waited, ...result });
          if (concurrency === 64) rounds.saw(subject, seen);
        }
    return rounds;
  }

  /** Measures how much work each subject does per millisecond while it gets no requests. */
  async #idle(durationMs: number): Promise<Map<Subject, MeteredWork>> {
    const ends = new Map<Subject, Awaited<ReturnType<GatewaysMeter['begin']>>>();
    for (const [subject, target] of this.#targets)
      ends.set(subject, await this.#meter.begin(target, { sampled: false }));
    await setTimeout(durationMs);
    const perMs = new Map<Subject, MeteredWork>();
    for (const [subject, end] of ends) {
      const { elapsedMs, each } = await end();
      perMs.set(subject, each(elapsedMs));
    }
    return perMs;
  }

  #pay(target: Target, concurrency: number, durationMs: number): Promise<LoadResult> {
    const { url, urls = [url], token, terminals: idle } = target;
    const to = { url, urls, token, terminals: idle };
    return this.#load.run({ operation: 'payment', concurrency, durationMs, target: to });
  }
}

/** Collects the rounds of all subjects, and the median of each figure. */
class Rounds {
  readonly #idle: ReadonlyMap<Subject, MeteredWork>;
  readonly #rounds = new Map<string, Round[]>();
  readonly #seen = new Map<Subject, Map<string, number>>();

  /** @param idle the work of each subject per millisecond without requests */
  constructor(idle: ReadonlyMap<Subject, MeteredWork>) {
    this.#idle = idle;
  }

  /** Adds samples of one subject. They show what PostgreSQL's backends did. */
  saw(subject: Subject, seen: ReadonlyMap<string, number>): void {
    const sum = this.#seen.get(subject) ?? new Map<string, number>();
    for (const [doing, times] of seen) sum.set(doing, (sum.get(doing) ?? 0) + times);
    this.#seen.set(subject, sum);
  }

  /** Describes in words the idle work that was subtracted from the figures. */
  idle(): string {
    const rows = [...this.#idle].map(([subject, perMs]) => {
      const { gatewaysUs, roundTrips, statements } = perMs;
      return [subject, gatewaysUs.toFixed(1), (roundTrips * 1000).toFixed(1), (statements * 1000).toFixed(1)];
    });
    return textTable([['nothing asked, a second:', 'gateways ms', 'round trips', 'statements'], ...rows]);
  }

  /** Describes the most frequent waits among the samples in which a backend was at work. */
  waits(): string {
    const lines = [...this.#seen].map(([subject, seen]) => {
      const all = [...seen.values()].reduce((sum, times) => sum + times, 0);
      const most = [...seen].sort(([, one], [, other]) => other - one).slice(0, 5);
      return [subject, ...most.map(([doing, times]) => `${doing} ${((times / all) * 100).toFixed(0)} %`)];
    });
    return [
      'the most frequent waits of busy backends, at 64 in flight',
      ...lines.map((line) => line.join('  ')),
    ].join('\n');
  }

  add(subject: Subject, concurrency: Concurrency, round: Round): void {
    this.#of(subject, concurrency).push(round);
  }

  middle(subject: Subject, concurrency: Concurrency, what: keyof Round): number {
    return median(this.#of(subject, concurrency).map((round) => round[what]));
  }

  /** Divides one subject's figure by another's in each round, and returns the median of these ratios. */
  ratio(above: Subject, below: Subject, what: keyof Round): number {
    const ofBelow = this.#of(below, 64);
    return median(this.#of(above, 64).map((round, at) => round[what] / (ofBelow[at]?.[what] ?? Number.NaN)));
  }

  shown(concurrency: Concurrency): string {
    const subjects: Subject[] = ['SQLite', ...(Object.keys(shapes) as (keyof typeof shapes)[])];
    const rows = subjects.map((subject) => [
      subject,
      ...columns.map(([, what, digits]) => this.middle(subject, concurrency, what).toFixed(digits)),
    ]);
    return textTable([[`${concurrency} in flight, each:`, ...columns.map(([head]) => head)], ...rows]);
  }

  #of(subject: Subject, concurrency: Concurrency): Round[] {
    const key = `${subject} @ ${concurrency}`;
    const rounds = this.#rounds.get(key) ?? [];
    this.#rounds.set(key, rounds);
    return rounds;
  }
}

const columns: [head: string, what: keyof Round, digits: number][] = [
  ['per s', 'perSecond', 0],
  ['p99 ms', 'p99Ms', 1],
  ['gateways µs', 'gatewaysUs', 0],
  ['PostgreSQL µs', 'postgresUs', 0],
  ['NATS µs', 'natsUs', 0],
  ['round trips', 'roundTrips', 2],
  ['statements', 'statements', 1],
  ['log kB', 'logKb', 1],
  ['flushes', 'flushes', 2],
  ['rows µs', 'rowsUs', 0],
  ['inside µs', 'insideUs', 0],
  ['disk µs', 'diskUs', 0],
];

function figuresOf(rounds: Rounds): Figure[] {
  // Numbers of round trips are rounded to tenths. The hundredths say nothing about a payment. They come from the
  // queries that a gateway with open payments sends to the database every second.
  const trips = (subject: Subject, concurrency: Concurrency) =>
    Math.round(rounds.middle(subject, concurrency, 'roundTrips') * 10) / 10;
  const lockedOver = (subject: Subject) =>
    rounds.middle(subject, 64, 'rowsUs') / rounds.middle(subject, 64, 'workingUs');
  return [
    {
      name: 'CPU of the gateways for a payment at the gateway that owns the terminal, as a multiple of a gateway on SQLite',
      value: rounds.ratio('the owner', 'SQLite', 'gatewaysUs'),
      unit: 'ratio',
      aim: { atMost: 1.5 },
    },
    {
      name: 'CPU of the gateways for a payment via another gateway, as a multiple of a gateway on SQLite',
      value: rounds.ratio('via another', 'SQLite', 'gatewaysUs'),
      unit: 'ratio',
      aim: { atMost: 2.2 },
    },
    ...(['the owner', 'via another'] as const).map((subject) => ({
      name: `round trips to PostgreSQL for each payment, ${subject}, at 1 in flight`,
      value: trips(subject, 1),
      unit: 'each' as const,
      aim: { atMost: 4 },
    })),
    ...(['the owner', 'via another'] as const).map((subject) => ({
      name: `round trips to PostgreSQL for each payment, ${subject}, at 64 in flight`,
      value: trips(subject, 64),
      unit: 'each' as const,
    })),
    {
      name: 'CPU of PostgreSQL for a payment with 4 gateways, as a multiple of 1 gateway',
      value: rounds.ratio('of 4 gateways', 'the owner', 'postgresUs'),
      unit: 'ratio',
    },
    ...(['the owner', 'of 4 gateways'] as const).map((subject) => ({
      name: `payments that ${server.cores} such cores of PostgreSQL can store if they are ${server.busy * 100} % busy: ${subject}`,
      value: (server.cores * server.busy * 1e6) / rounds.middle(subject, 64, 'postgresUs'),
      unit: '/s' as const,
    })),
    {
      name: 'the time that PostgreSQL waits for rows, as a share of the time that it works, with 4 gateways',
      value: lockedOver('of 4 gateways'),
      unit: 'ratio',
    },
  ];
}

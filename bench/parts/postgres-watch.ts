import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresServer } from '../../test/postgres-server.ts';

/** What the server's backends of a database did and waited for, for each payment, in µs: samples, so only with many is it exact. */
export interface BackendWaits {
  /** At work, waiting included. */
  workingUs: number;
  /** For another transaction to end, or to let go of a row. */
  rowsUs: number;
  /** For each other inside the server, as where one flushes its log for all. */
  insideUs: number;
  /** For the disk. */
  diskUs: number;
  /** How often a backend was seen at what. */
  seen: ReadonlyMap<string, number>;
}

const everyMs = 10;

/** Looks at a server over a connection of its own, from a database that nobody else uses. */
export class PostgresWatch {
  /** Of its own backend, whose work is nobody's payment. */
  readonly pid: number;
  readonly #client: pg.Client;
  #closed = false;

  private constructor(client: pg.Client, pid: number) {
    this.#client = client;
    this.pid = pid;
  }

  static async open(postgres: PostgresServer): Promise<PostgresWatch> {
    const client = new pg.Client(postgres.url());
    await client.connect();
    await client.query('create extension if not exists pg_stat_statements');
    const { rows } = await client.query('select pg_backend_pid() as pid');
    return new PostgresWatch(client, rows[0].pid);
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#client.end();
  }

  /** So far: statements of one database; the log of all. */
  async counted(database: string | undefined) {
    const { rows } = await this.#client.query({
      name: 'counted',
      text: `
        select
          (select coalesce(sum(calls), 0)::float from pg_stat_statements
            where dbid = (select oid from pg_database where datname = $1)) as statements,
          (pg_current_wal_lsn() - '0/0')::float / 1000 as log_kb,
          (select wal_sync::float from pg_stat_wal) as flushes`,
      values: [nameOf(database)],
    });
    const { statements, log_kb: logKb, flushes } = rows[0];
    return { statements, logKb, flushes } as { statements: number; logKb: number; flushes: number };
  }

  /** Looks again and again at what backends of a database do, until the end; where none is given, never. */
  waits(database: string | undefined) {
    let over = database === undefined;
    let samples = 0;
    const seen = new Map<string, number>();
    const looking = (async () => {
      while (!over && !this.#closed) {
        for (const { doing, backends } of await this.#look(database))
          seen.set(doing, (seen.get(doing) ?? 0) + backends);
        samples++;
        await setTimeout(everyMs);
      }
    })();
    return {
      async end() {
        over = true;
        await looking;
        /** Of so many payments in that time. */
        return (elapsedMs: number, count: number): BackendWaits => {
          const us = (of: string) =>
            [...seen]
              .filter(([doing]) => doing.startsWith(of))
              .reduce((sum, [, times]) => sum + ((times / samples) * elapsedMs * 1000) / count, 0);
          return { workingUs: us(''), rowsUs: us('Lock'), insideUs: us('LWLock'), diskUs: us('IO'), seen };
        };
      },
    };
  }

  async #look(database: string | undefined): Promise<{ doing: string; backends: number }[]> {
    const { rows } = await this.#client.query({
      name: 'look',
      text: `
        select coalesce(wait_event_type || ' ' || wait_event, 'nothing') as doing, count(*)::int as backends
        from pg_stat_activity where datname = $1 and state = 'active' group by 1`,
      values: [nameOf(database)],
    });
    return rows;
  }
}

function nameOf(database: string | undefined): string {
  return database === undefined ? '' : new URL(database).pathname.slice(1);
}

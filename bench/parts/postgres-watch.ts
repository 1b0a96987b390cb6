import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresServer } from '../../test/postgres-server.ts';

/** What the server's backends of a database did and waited for, for each payment, in µs: samples, so only with many is it exact. */
export interface Waits {
  /** At work, waiting included. */
  workingUs: number;
  /** For another transaction to end, or to let go of a row. */
  rowsUs: number;
  /** For each other inside the server, as where one flushes its log for all. */
  insideUs: number;
  /** For the disk. */
  diskUs: number;
}

const everyMs = 10;

/** Looks at a server over a connection of its own, from a database that nobody else uses. */
export class PostgresWatch {
  /** Of its own backend, whose work is nobody's payment. */
  readonly pid: number;
  readonly #client: pg.Client;

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
    const seen = { working: 0, rows: 0, inside: 0, disk: 0 };
    const looking = (async () => {
      while (!over) {
        const now = await this.#look(database);
        samples++;
        for (const what of ['working', 'rows', 'inside', 'disk'] as const) seen[what] += now[what];
        await setTimeout(everyMs);
      }
    })();
    return {
      async end() {
        over = true;
        await looking;
        return (elapsedMs: number, count: number): Waits => {
          const us = (times: number) => ((times / Math.max(1, samples)) * elapsedMs * 1000) / count;
          return {
            workingUs: us(seen.working),
            rowsUs: us(seen.rows),
            insideUs: us(seen.inside),
            diskUs: us(seen.disk),
          };
        };
      },
    };
  }

  async #look(database: string | undefined) {
    const { rows } = await this.#client.query({
      name: 'look',
      text: `
        select count(*)::int as working,
          (count(*) filter (where wait_event_type = 'Lock'))::int as rows,
          (count(*) filter (where wait_event_type = 'LWLock'))::int as inside,
          (count(*) filter (where wait_event_type = 'IO'))::int as disk
        from pg_stat_activity where datname = $1 and state = 'active'`,
      values: [nameOf(database)],
    });
    return rows[0] as { working: number; rows: number; inside: number; disk: number };
  }
}

function nameOf(database: string | undefined): string {
  return database === undefined ? '' : new URL(database).pathname.slice(1);
}

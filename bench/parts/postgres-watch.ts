import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresServer } from '../../test/postgres-server.ts';

/**
 * The times per payment, in µs, during which the backends of a database worked and waited. The times are estimated from
 * samples, so few samples make them inexact.
 */
export interface BackendWaits {
  /** The time in which backends were at work, waits included. */
  workingUs: number;
  /** The time in which backends waited for another transaction to end or to release a row. */
  rowsUs: number;
  /**
   * The time in which backends waited for each other inside the server. For example, one backend flushes the log,
   * and other backends wait for that.
   */
  insideUs: number;
  /** The time in which backends waited for the disk. */
  diskUs: number;
  /** How often a backend was seen in each state. */
  seen: ReadonlyMap<string, number>;
}

const everyMs = 10;

/** Watches a server over a connection of its own. The connection is to a database that no other program uses. */
export class PostgresWatch {
  /** The process of this connection's backend, which is left out of the figures. */
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

  /** Reads what was counted so far: the statements of one database, and the log and the flushes of the whole server. */
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

  /** Samples what the backends of a database do, until `end` is called. Without a database, it takes no samples. */
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
        /** Returns the times per payment. In the time `elapsedMs`, `count` payments were made. */
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

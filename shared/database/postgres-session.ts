import type { Client } from 'pg';
import { connectPostgres, dropConnection } from './postgres-connection.ts';
import {
  type PipelineEnding,
  PostgresPipeline,
  type PostgresStatement,
  type PreparedStatements,
} from './postgres-pipeline.ts';

/** Each writing session holds an advisory lock. This is the first of the lock's two keys. */
const lockClass = 7_346_466;

/**
 * A connection that writes. The connection has a row in the table `pinpad_writers`. Each of its transactions writes the
 * transaction's number into that row. If the connection breaks off, the next session reads from the row which
 * transaction was committed last.
 */
export class PostgresWriterSession {
  readonly id: string;
  readonly #client: Client;
  readonly #prepared: PreparedStatements = new Map();
  readonly #state: { open: boolean };

  private constructor(id: string, client: Client, state: { open: boolean }) {
    this.id = id;
    this.#client = client;
    this.#state = state;
  }

  static async open(url: string): Promise<PostgresWriterSession> {
    const state = { open: true };
    const client = await connectPostgres(url, () => {
      state.open = false;
    });
    try {
      await createTable(client);
      const { rows } = await client.query('insert into pinpad_writers default values returning id');
      return new PostgresWriterSession(String(rows[0].id), client, state);
    } catch (error) {
      dropConnection(client);
      throw error;
    }
  }

  get open(): boolean {
    return this.#state.open;
  }

  /**
   * Runs statements as the transaction with this number. The first result belongs to the statement that sets the
   * session's row.
   */
  transact(number: number, statements: readonly PostgresStatement[]): Promise<PipelineEnding> {
    const mark = { sql: markText, values: [number, this.id] };
    return new Promise((resolve) => {
      this.#client.query(new PostgresPipeline([mark, ...statements], this.#prepared, resolve));
    });
  }

  /**
   * Whether the server committed a transaction of a session whose connection broke off. If the server still works on
   * the transaction, waits until the transaction has ended. If the transaction has not begun yet, this query makes sure
   * that it fails.
   */
  async committed(session: string, number: number): Promise<boolean> {
    const text = 'update pinpad_writers set ended = true where id = $1 returning last';
    const { rows } = await this.#client.query(text, [session]);
    return rows[0]?.last === number;
  }

  drop(): void {
    this.#state.open = false;
    dropConnection(this.#client);
  }

  async close(): Promise<void> {
    if (!this.open) return;
    await this.#client.query('delete from pinpad_writers where id = $1', [this.id]);
    await this.#client.end();
  }
}

/**
 * Sets the session's row to the number of a transaction. Fails if the row is gone, or if another session has marked it
 * as ended.
 */
const markText = sqlRequiringOneChanged('update pinpad_writers set last = $1 where id = $2 and not ended');

/**
 * Makes a statement fail, with a division by zero, unless it changes exactly one row. So all statements can be sent at
 * once, although a later statement must not be committed if an earlier one changes no row.
 */
export function sqlRequiringOneChanged(sql: string): string {
  return `with changed as (${sql} returning 1) select 1 / (count(*) = 1)::integer from changed`;
}

/** Makes a query fail unless it finds exactly one row. That row cannot change until the transaction ends. */
export function sqlRequiringOneHeld(sql: string): string {
  return `with held as (${sql} for share) select 1 / (count(*) = 1)::integer from held`;
}

/**
 * Creates the table, and deletes the rows of sessions that ended long ago. If such a session is still open, its next
 * transaction fails, and a new session with a new row replaces it.
 */
async function createTable(client: Client): Promise<void> {
  await client.query(`
    begin;
    select pg_advisory_xact_lock(${lockClass}, hashtext(current_schema()));
    create table if not exists pinpad_writers (
      id bigint generated always as identity primary key,
      last bigint not null default 0,
      ended boolean not null default false,
      opened_at timestamptz not null default now()
    );
    delete from pinpad_writers where opened_at < now() - interval '7 days';
    commit`);
}

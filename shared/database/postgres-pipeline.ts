import type { Connection, Submittable } from 'pg';
import type { SqlStep } from './change.ts';
import { isConnectionEndingError, isPostgresServerError } from './postgres-errors.ts';
import { replaceNullCharacters } from './postgres-text.ts';

/** A statement with its values. */
export interface PostgresStatement {
  readonly sql: string;
  readonly values: SqlStep['values'];
}

/**
 * How a pipeline ended. `lost` means that the connection broke off; it is unknown then whether the pipeline was
 * committed.
 */
export type PipelineEnding =
  | { is: 'committed' }
  | { is: 'failed'; at: number; error: Error }
  | { is: 'lost'; error: Error };

/**
 * For one connection, the statements that the server was asked to prepare. The map's keys are the texts of the
 * statements; each value has the name of the prepared statement. `done` is false if the server may not have prepared
 * the statement.
 */
export type PreparedStatements = Map<string, { name: string; done: boolean }>;

/**
 * Runs statements in one round trip and one transaction. The server commits at the Sync message after the last
 * statement. If a statement fails, the server undoes all statements of the pipeline. Each text is prepared only once
 * for a connection.
 */
export class PostgresPipeline implements Submittable {
  readonly #statements: readonly PostgresStatement[];
  readonly #prepared: PreparedStatements;
  readonly #settle: (ending: PipelineEnding) => void;
  #completed = 0;
  /** The driver replaces this callback with its own callback, which stops the driver's timer. */
  callback: (error?: Error) => void = () => {};

  constructor(
    statements: readonly PostgresStatement[],
    prepared: PreparedStatements,
    settle: (ending: PipelineEnding) => void,
  ) {
    this.#statements = statements;
    this.#prepared = prepared;
    this.#settle = settle;
  }

  submit(connection: Connection): void {
    connection.stream.cork();
    for (const { sql, values } of this.#statements) {
      const statement = this.#prepare(sql, connection);
      connection.bind({ statement, values: values.map(asSent) } as never, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription(): void {}

  handleDataRow(): void {}

  handleCommandComplete(): void {
    this.#completed += 1;
  }

  handleReadyForQuery(): void {
    this.callback();
    this.#settle({ is: 'committed' });
  }

  handleError(error: Error): void {
    this.callback(error);
    if (!isPostgresServerError(error) || isConnectionEndingError(error))
      return this.#settle({ is: 'lost', error });
    // The server skipped the statements after the failed one, so it may not have prepared the texts of these
    // statements.
    for (const { sql } of this.#statements.slice(this.#completed)) {
      const text = this.#prepared.get(sql);
      if (text) text.done = false;
    }
    this.#settle({ is: 'failed', at: this.#completed, error });
  }

  #prepare(sql: string, connection: Connection): string {
    const text = this.#prepared.get(sql) ?? { name: `pinpad${this.#prepared.size}`, done: false };
    this.#prepared.set(sql, text);
    if (!text.done) {
      connection.close({ type: 'S', name: text.name }, true); // a failed pipeline may have prepared this text
      connection.parse({ name: text.name, text: sql, types: [] }, true);
      text.done = true;
    }
    return text.name;
  }
}

function asSent(value: SqlStep['values'][number]): string | Uint8Array | null {
  return typeof value === 'number' || typeof value === 'bigint'
    ? String(value)
    : replaceNullCharacters(value);
}

import type { Connection, Submittable } from 'pg';
import type { SqlStep } from './change.ts';
import { endsConnection, isServerError } from './postgres-errors.ts';
import { withoutNull } from './postgres-text.ts';

/** A statement with its values. */
export interface PostgresStatement {
  readonly sql: string;
  readonly values: SqlStep['values'];
}

/** How a pipeline ended. With `lost` the connection broke off, so it is unknown whether the pipeline is committed. */
export type PipelineEnding =
  | { is: 'committed' }
  | { is: 'failed'; at: number; error: Error }
  | { is: 'lost'; error: Error };

/**
 * The texts of statements that were sent to be prepared on a connection, each with its name and whether it is prepared
 * by now.
 */
export type PreparedTexts = Map<string, { name: string; done: boolean }>;

/**
 * Runs statements in one round trip and one transaction. The server commits at the Sync after the last statement, and
 * undoes all statements if one fails. Each text is prepared once for each connection.
 */
export class PostgresPipeline implements Submittable {
  readonly #statements: readonly PostgresStatement[];
  readonly #prepared: PreparedTexts;
  readonly #settle: (ending: PipelineEnding) => void;
  #completed = 0;
  /** The driver replaces this callback, and ends its timer when the callback is called. */
  callback: (error?: Error) => void = () => {};

  constructor(
    statements: readonly PostgresStatement[],
    prepared: PreparedTexts,
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
    if (!isServerError(error) || endsConnection(error)) return this.#settle({ is: 'lost', error });
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
      connection.close({ type: 'S', name: text.name }, true); // the text may have been prepared before the failure
      connection.parse({ name: text.name, text: sql, types: [] }, true);
      text.done = true;
    }
    return text.name;
  }
}

function asSent(value: SqlStep['values'][number]): string | Uint8Array | null {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : withoutNull(value);
}

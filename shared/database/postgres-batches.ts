import type { SqlStep } from './change.ts';
import { type BatchEnding, UnknownCommitOutcomeError } from './engine.ts';
import { isPostgresServerError, NoConnectionError } from './postgres-errors.ts';
import {
  type PostgresWriterSession,
  sqlRequiringOneChanged,
  sqlRequiringOneHeld,
} from './postgres-session.ts';
import { isStorageFault } from './storage-fault.ts';
import { StaleRowVersionError } from './version-moved.ts';

type Batch = readonly SqlStep[];

interface WaitingCall {
  batches: readonly Batch[];
  resolve(endings: BatchEnding[]): void;
  reject(error: unknown): void;
}

interface BatchesParts {
  /** Opens a session. */
  connect(): Promise<PostgresWriterSession>;
  /** Resolves after the pause between two attempts to reach the server. */
  pause(): Promise<void>;
}

const applied: BatchEnding = { is: 'applied' };

/**
 * Applies batches to PostgreSQL over one session. All batches that arrive during a transaction go together into the
 * next transaction. So the server flushes its log only once for all of these batches.
 */
export class PostgresBatchRunner {
  readonly #parts: BatchesParts;
  readonly #withCheck = new Map<string, string>();
  #waiting: WaitingCall[] = [];
  #writing: Promise<void> | undefined;
  #session: PostgresWriterSession | undefined;
  #number = 0;
  #closing = false;
  /** The reason why no server can say at present how a transaction ended. New batches are refused meanwhile. */
  #lost: NoConnectionError | undefined;

  constructor(parts: BatchesParts) {
    this.#parts = parts;
  }

  /** @throws the error that prevented the first session from opening */
  async open(): Promise<void> {
    await this.#connected();
  }

  /** @throws UnknownCommitOutcomeError if this object is closed while no server can say how the transaction ended */
  apply(batches: readonly Batch[]): Promise<BatchEnding[]> {
    return new Promise((resolve, reject) => {
      if (this.#lost) return resolve(refusedFor(batches, this.#lost));
      this.#waiting.push({ batches, resolve, reject });
      this.#writing ??= this.#writeWaiting();
    });
  }

  /** Gives the session that writes. If that session was lost, opens a new session. @throws NoConnectionError */
  async writer(): Promise<PostgresWriterSession> {
    try {
      return await this.#connected();
    } catch (error) {
      throw new NoConnectionError(error);
    }
  }

  /** The reason why no server can say at present how a transaction ended. */
  get lost(): NoConnectionError | undefined {
    return this.#lost;
  }

  /**
   * Announces that this object will be closed. This object still finishes the batches that it has, but no longer waits
   * for a server that is gone.
   */
  closing(): void {
    this.#closing = true;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#session?.close().catch(() => this.#session?.drop());
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const together = this.#waiting.splice(0);
      try {
        const endings = await this.#write(together.flatMap(({ batches }) => batches));
        for (const { batches, resolve } of together) resolve(endings.splice(0, batches.length));
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    this.#writing = undefined;
  }

  /**
   * Applies all batches in one transaction. If a batch fails, the batches before it are applied first. Then the failed
   * batch is tried alone. This second try may succeed: perhaps the batch failed only because of an earlier batch, and
   * that earlier batch is now refused. If a rule of the schema is broken only at the commit, the error names no batch.
   * In that case the list of batches is halved again and again, until the batch at fault is alone.
   */
  async #write(batches: readonly Batch[]): Promise<BatchEnding[]> {
    if (batches.length === 0) return [];
    const ended = await this.#transact(batches);
    if (ended.is !== 'failed') return batches.map(() => ended);
    if (batches.length === 1) return [refusal(ended.error, batches[0]?.[ended.at])];
    const failed = indexOfBatch(batches, ended.at);
    // If the error names no batch, `from` and `to` are both the middle of the list, so no batch is tried alone.
    const from = failed ?? Math.ceil(batches.length / 2);
    const to = failed === undefined ? from : from + 1;
    return [
      ...(await this.#write(batches.slice(0, from))),
      ...(await this.#write(batches.slice(from, to))),
      ...(await this.#write(batches.slice(to))),
    ];
  }

  async #transact(
    batches: readonly Batch[],
  ): Promise<BatchEnding | { is: 'failed'; at: number; error: Error }> {
    let session: PostgresWriterSession;
    try {
      session = await this.writer();
    } catch (error) {
      return refusal(error);
    }
    const number = ++this.#number;
    const ended = await session.transact(
      number,
      batches.flat().map((step) => this.#statement(step)),
    );
    if (ended.is === 'committed') return applied;
    // Statement 0 of the transaction sets the session's row, so the first statement of the batches has the number 1.
    if (ended.is === 'failed' && ended.at > 0) return { ...ended, at: ended.at - 1 };
    session.drop();
    if (ended.is === 'failed') return refusal(new NoConnectionError(ended.error)); // the session's row is gone
    return (await this.#wasCommitted(session.id, number))
      ? applied
      : refusal(new NoConnectionError(ended.error));
  }

  #statement({ statement, values }: SqlStep) {
    return { sql: statement.one ? this.#textWithCheck(statement) : statement.sql, values };
  }

  #textWithCheck({ sql, does }: SqlStep['statement']): string {
    const former = this.#withCheck.get(sql);
    if (former) return former;
    const checked = does === 'hold' ? sqlRequiringOneHeld(sql) : sqlRequiringOneChanged(sql);
    this.#withCheck.set(sql, checked);
    return checked;
  }

  async #connected(): Promise<PostgresWriterSession> {
    if (!this.#session?.open) this.#session = await this.#parts.connect();
    return this.#session;
  }

  async #wasCommitted(session: string, number: number): Promise<boolean> {
    while (true) {
      try {
        const committed = await (await this.#connected()).committed(session, number);
        this.#lost = undefined;
        return committed;
      } catch (error) {
        if (this.#closing) throw new UnknownCommitOutcomeError(error);
        this.#lost = new NoConnectionError(error);
        for (const { batches, resolve } of this.#waiting.splice(0)) resolve(refusedFor(batches, this.#lost));
        await this.#parts.pause();
      }
    }
  }
}

function refusedFor(batches: readonly Batch[], error: Error): BatchEnding[] {
  return batches.map(() => refusal(error));
}

/**
 * Gives the index of the batch that contains the statement with this number; undefined if the statement comes after all
 * batches.
 */
function indexOfBatch(batches: readonly Batch[], statement: number): number | undefined {
  let before = 0;
  const index = batches.findIndex(({ length }) => {
    before += length;
    return statement < before;
  });
  return index < 0 ? undefined : index;
}

function refusal(error: unknown, step?: SqlStep): BatchEnding {
  if (!(error instanceof Error) || error instanceof UnknownCommitOutcomeError) throw error;
  if (isStorageFault(error)) return { is: 'refused', because: 'storage', error };
  if (isPostgresServerError(error)) {
    if (error.code.startsWith('23')) return { is: 'refused', because: 'constraint', error };
    if (error.code === divisionByZero && step?.statement.one)
      return {
        is: 'refused',
        because: 'version',
        error: new StaleRowVersionError(`exactly one row was expected for ${step.statement.sql}`),
      };
  }
  return { is: 'broken', error };
}

const divisionByZero = '22012';

import type { SqlStep } from './change.ts';
import { type BatchEnding, UnknownOutcome } from './engine.ts';
import { isServerError, NoConnection } from './postgres-errors.ts';
import { type PostgresSession, sqlRequiringOneChanged, sqlRequiringOneHeld } from './postgres-session.ts';
import { isStorageFault } from './storage-fault.ts';
import { VersionMoved } from './version-moved.ts';

type Batch = readonly SqlStep[];

interface WaitingCall {
  batches: readonly Batch[];
  resolve(endings: BatchEnding[]): void;
  reject(error: unknown): void;
}

interface BatchesParts {
  /** Opens a session. */
  connect(): Promise<PostgresSession>;
  /** Resolves when it is time for another attempt to reach the server. */
  pause(): Promise<void>;
}

const applied: BatchEnding = { is: 'applied' };

/**
 * Applies batches to PostgreSQL over one session. All batches that arrive during a transaction go into the next one
 * together. So one flush of the server's log is enough for all of them.
 */
export class PostgresBatchRunner {
  readonly #parts: BatchesParts;
  readonly #withCheck = new Map<string, string>();
  #waiting: WaitingCall[] = [];
  #writing: Promise<void> | undefined;
  #session: PostgresSession | undefined;
  #number = 0;
  #closing = false;
  /** The reason why no server can say at present how a transaction ended. New batches are refused meanwhile. */
  #lost: NoConnection | undefined;

  constructor(parts: BatchesParts) {
    this.#parts = parts;
  }

  /** @throws the error that prevented the first session from opening */
  async open(): Promise<void> {
    await this.#connected();
  }

  /** @throws UnknownOutcome if this object is closed before the server is back and can say what the outcome is */
  apply(batches: readonly Batch[]): Promise<BatchEnding[]> {
    return new Promise((resolve, reject) => {
      if (this.#lost) return resolve(refusedFor(batches, this.#lost));
      this.#waiting.push({ batches, resolve, reject });
      this.#writing ??= this.#writeWaiting();
    });
  }

  /** Gives the session that writes. If it was lost, opens a new one. @throws NoConnection */
  async writer(): Promise<PostgresSession> {
    try {
      return await this.#connected();
    } catch (error) {
      throw new NoConnection(error);
    }
  }

  /** The reason why no server can say at present how a transaction ended. */
  get lost(): NoConnection | undefined {
    return this.#lost;
  }

  /**
   * Announces that this object will be closed. It still finishes the batches that it has, but it does not wait for a
   * server that is gone.
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
   * batch is tried alone, because it may have failed only because of an earlier batch that is itself refused. If the
   * commit breaks a rule, the error names no batch. In that case the batches are halved until the one at fault is
   * found.
   */
  async #write(batches: readonly Batch[]): Promise<BatchEnding[]> {
    if (batches.length === 0) return [];
    const ended = await this.#transact(batches);
    if (ended.is !== 'failed') return batches.map(() => ended);
    if (batches.length === 1) return [refusal(ended.error, batches[0]?.[ended.at])];
    const failed = indexOfBatch(batches, ended.at);
    // If no batch is named, there is none to try alone: `from` and `to` are both the middle.
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
    let session: PostgresSession;
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
    // The first statement of the transaction is the session's own, so the batches' statements are counted from 1.
    if (ended.is === 'failed' && ended.at > 0) return { ...ended, at: ended.at - 1 };
    session.drop();
    if (ended.is === 'failed') return refusal(new NoConnection(ended.error)); // the row of the session itself is gone
    return (await this.#wasCommitted(session.id, number)) ? applied : refusal(new NoConnection(ended.error));
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

  async #connected(): Promise<PostgresSession> {
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
        if (this.#closing) throw new UnknownOutcome(error);
        this.#lost = new NoConnection(error);
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
  if (!(error instanceof Error) || error instanceof UnknownOutcome) throw error;
  if (isStorageFault(error)) return { is: 'refused', because: 'storage', error };
  if (isServerError(error)) {
    if (error.code.startsWith('23')) return { is: 'refused', because: 'constraint', error };
    if (error.code === divisionByZero && step?.statement.one)
      return {
        is: 'refused',
        because: 'version',
        error: new VersionMoved(`exactly one row was expected for ${step.statement.sql}`),
      };
  }
  return { is: 'broken', error };
}

const divisionByZero = '22012';

import type { SqlStep } from './change.ts';
import { type Ending, UnknownOutcome } from './engine.ts';
import { isServerError, NoConnection } from './postgres-errors.ts';
import { exactlyOne, heldOne, type PostgresSession } from './postgres-session.ts';
import { isStorageFault } from './storage-fault.ts';
import { VersionMoved } from './version-moved.ts';

type Batch = readonly SqlStep[];

interface Asked {
  batches: readonly Batch[];
  resolve(endings: Ending[]): void;
  reject(error: unknown): void;
}

interface BatchesParts {
  /** Opens a session. */
  connect(): Promise<PostgresSession>;
  /** Resolves when it is time to look again for a server that was not there. */
  pause(): Promise<void>;
}

const applied: Ending = { is: 'applied' };

/**
 * Applies batches to PostgreSQL over one session: whatever was asked for while a transaction was under way is the next one, so
 * that one flush of the server's log is for all of them.
 */
export class PostgresBatches {
  readonly #parts: BatchesParts;
  readonly #checked = new Map<string, string>();
  #asked: Asked[] = [];
  #writing: Promise<void> | undefined;
  #session: PostgresSession | undefined;
  #number = 0;
  #closing = false;
  /** Why there is no server to say what became of a transaction. Others are refused meanwhile. */
  #lost: NoConnection | undefined;

  constructor(parts: BatchesParts) {
    this.#parts = parts;
  }

  /** @throws what kept the first session from being opened */
  async open(): Promise<void> {
    await this.#connected();
  }

  /** @throws UnknownOutcome where it closes before the server is back to say */
  apply(batches: readonly Batch[]): Promise<Ending[]> {
    return new Promise((resolve, reject) => {
      if (this.#lost) return resolve(refusedFor(batches, this.#lost));
      this.#asked.push({ batches, resolve, reject });
      this.#writing ??= this.#writeAsked();
    });
  }

  /**
   * The session that writes, opened again where it was lost.
   *
   * @throws NoConnection
   */
  async writer(): Promise<PostgresSession> {
    try {
      return await this.#connected();
    } catch (error) {
      throw new NoConnection(error);
    }
  }

  /** Why there is no server to say what became of a transaction. */
  get lost(): NoConnection | undefined {
    return this.#lost;
  }

  /** What was asked for is finished; only a server that is not there is no longer waited for. */
  closing(): void {
    this.#closing = true;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#session?.close().catch(() => this.#session?.drop());
  }

  async #writeAsked(): Promise<void> {
    while (this.#asked.length > 0) {
      const together = this.#asked.splice(0);
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
   * All in one transaction. Where a batch fails, those before it are applied first and it is tried alone, because what
   * it met may have been of one that is refused itself; a rule that is checked at the commit names no batch, so the half
   * that breaks it is looked for.
   */
  async #write(batches: readonly Batch[]): Promise<Ending[]> {
    if (batches.length === 0) return [];
    const ended = await this.#transact(batches);
    if (ended.is !== 'failed') return batches.map(() => ended);
    if (batches.length === 1) return [refusal(ended.error, batches[0]?.[ended.at])];
    const at = batchOf(batches, ended.at);
    const [from, to] = at === undefined ? halves(batches.length) : [at, at + 1];
    return [
      ...(await this.#write(batches.slice(0, from))),
      ...(await this.#write(batches.slice(from, to))),
      ...(await this.#write(batches.slice(to))),
    ];
  }

  async #transact(batches: readonly Batch[]): Promise<Ending | { is: 'failed'; at: number; error: Error }> {
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
    if (ended.is === 'failed' && ended.at > 0) return { ...ended, at: ended.at - 1 };
    session.drop();
    if (ended.is === 'failed') return refusal(new NoConnection(ended.error)); // at its mark, as where its row is gone
    return (await this.#wasCommitted(session.id, number)) ? applied : refusal(new NoConnection(ended.error));
  }

  #statement({ statement, values }: SqlStep) {
    return { sql: statement.one ? this.#checkedText(statement) : statement.sql, values };
  }

  #checkedText({ sql, does }: SqlStep['statement']): string {
    const former = this.#checked.get(sql);
    if (former) return former;
    const checked = does === 'hold' ? heldOne(sql) : exactlyOne(sql);
    this.#checked.set(sql, checked);
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
        for (const { batches, resolve } of this.#asked.splice(0)) resolve(refusedFor(batches, this.#lost));
        await this.#parts.pause();
      }
    }
  }
}

function refusedFor(batches: readonly Batch[], error: Error): Ending[] {
  return batches.map(() => refusal(error));
}

/** Which batch the statement of that number belongs to; none where it comes after them all. */
function batchOf(batches: readonly Batch[], statement: number): number | undefined {
  let before = 0;
  const index = batches.findIndex(({ length }) => {
    before += length;
    return statement < before;
  });
  return index < 0 ? undefined : index;
}

function halves(length: number): [number, number] {
  const half = Math.ceil(length / 2);
  return [half, half];
}

function refusal(error: unknown, step?: SqlStep): Ending {
  if (!(error instanceof Error) || error instanceof UnknownOutcome) throw error;
  if (isStorageFault(error)) return { is: 'refused', because: 'storage', error };
  if (isServerError(error)) {
    if (error.code.startsWith('23')) return { is: 'refused', because: 'constraint', error };
    if (error.code === divisionByZero && step?.statement.one)
      return {
        is: 'refused',
        because: 'version',
        error: new VersionMoved(`not one row for ${step.statement.sql}`),
      };
  }
  return { is: 'broken', error };
}

const divisionByZero = '22012';

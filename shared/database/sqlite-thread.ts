import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SqlStep } from './change.ts';
import { type BatchEnding, UnknownCommitOutcomeError } from './engine.ts';
import type { SynchronousMode } from './sqlite-connection.ts';

/** The settings of the thread: which file the thread opens, and how it opens the file. */
export interface ThreadData {
  file: string;
  /**
   * The inode number of the thread's file, as `readInodeNumber` gives it. It is undefined if there is no file, and null
   * if the path cannot be read.
   */
  place: number | undefined | null;
  synchronous: SynchronousMode;
}

/**
 * A request to the thread to write batches. The text of each statement is sent only once. Later requests contain the
 * number of the statement instead.
 */
export interface ThreadRequest {
  newStatements: SqlStep['statement'][];
  batches: [statement: number, values: SqlStep['values']][][];
}

/**
 * A {@link BatchEnding} as a message. Only the text and the code of the error are sent, because an error loses its code
 * when it is sent to another thread.
 */
export type BatchEndingMessage =
  | Extract<BatchEnding, { is: 'applied' }>
  | {
      is: 'refused' | 'broken';
      because?: Extract<BatchEnding, { is: 'refused' }>['because'];
      error: { message: string; code: unknown };
    };

/**
 * A message from the thread. `open` says that the file is open. `endings` says how the batches of each request ended,
 * in order; `tookMs` says how long all of them took together. `unknown` says why the endings of the batches are
 * unknown.
 */
export type ThreadReply =
  | 'open'
  | { endings: ('applied' | BatchEndingMessage[])[]; tookMs: number }
  | { unknown: string };

interface Awaited {
  batches: number;
  resolve(endings: BatchEnding[]): void;
  reject(error: unknown): void;
}

/** A thread that writes batches to an SQLite file over its own connection. */
export class SqliteThread {
  #data: ThreadData;
  #giveUp: (why: string) => void;
  #worker: Worker | undefined;
  #started: Promise<void> | undefined;
  #state: 'asleep' | 'starting' | 'ready' | 'over' = 'asleep';
  #numbers = new Map<SqlStep['statement'], number>();
  #awaited: Awaited[] = [];
  #tookMs = 0;

  constructor(data: ThreadData, giveUp: (why: string) => void) {
    this.#data = data;
    this.#giveUp = giveUp;
  }

  get ready(): boolean {
    return this.#state === 'ready';
  }

  /** Whether the thread has ended all batches that it was given. */
  get idle(): boolean {
    return this.#awaited.length === 0;
  }

  /** How long the thread took for the batches that it wrote last, in milliseconds. */
  get tookMs(): number {
    return this.#tookMs;
  }

  /**
   * Starts the thread if it has not been started yet. Resolves when the thread accepts batches. If the thread cannot
   * start, for example because no memory or no file handle is free or because the process may start no more threads,
   * the database works without the thread.
   */
  start(): Promise<void> {
    this.#started ??= new Promise((started) => this.#start(started));
    return this.#started;
  }

  #start(started: () => void): void {
    this.#state = 'starting';
    const program = new URL(`./sqlite-worker${extname(import.meta.filename)}`, import.meta.url);
    let worker: Worker;
    try {
      worker = new Worker(program, { workerData: this.#data, name: 'database' });
    } catch {
      this.#state = 'over';
      return started();
    }
    worker.unref();
    worker.on('message', (said: ThreadReply) => this.#received(said));
    worker.on('error', (error) => this.#died(String(error)));
    worker.on('exit', (code) => this.#died(`it ended with ${code}`));
    worker.once('message', started);
    worker.once('exit', started);
    this.#worker = worker;
  }

  /**
   * Gives the batches to the thread. The calls of this function resolve in the order in which they were made. Batches
   * that come while the thread is busy are written together.
   */
  apply(batches: readonly (readonly SqlStep[])[]): Promise<BatchEnding[]> {
    const newStatements: SqlStep['statement'][] = [];
    const asked = batches.map((batch) =>
      batch.map(({ statement, values }): [number, SqlStep['values']] => {
        let number = this.#numbers.get(statement);
        if (number === undefined) {
          number = this.#numbers.size;
          this.#numbers.set(statement, number);
          newStatements.push(statement);
        }
        return [number, values];
      }),
    );
    this.#worker?.postMessage({ newStatements, batches: asked } satisfies ThreadRequest);
    this.#worker?.ref(); // the process does not end before the thread's writes have ended
    return new Promise((resolve, reject) => {
      this.#awaited.push({ batches: batches.length, resolve, reject });
    });
  }

  /**
   * Ends the thread. This function must be called only after all requests have ended. If the thread is still starting,
   * this function first waits for the start. Otherwise it might end the thread while the thread loads SQLite, and that
   * would end the whole process.
   */
  async close(): Promise<void> {
    const runs = this.#state === 'starting' || this.#state === 'ready';
    this.#state = 'over';
    const worker = this.#worker;
    if (!worker || !runs) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.ref();
    worker.postMessage('close');
    await ended;
  }

  /** Ends the thread. Calls that have not ended get neither a result nor an error. */
  abandon(): Promise<void> {
    this.#awaited = [];
    return this.close();
  }

  #received(said: ThreadReply): void {
    if (said === 'open') {
      if (this.#state === 'starting') this.#state = 'ready';
    } else if ('endings' in said) {
      this.#tookMs = said.tookMs;
      for (const endings of said.endings) this.#ended(endings);
    } else this.#awaited.shift()?.reject(new UnknownCommitOutcomeError(said.unknown));
  }

  #ended(endings: 'applied' | BatchEndingMessage[]): void {
    const awaited = this.#awaited.shift();
    if (this.#awaited.length === 0) this.#worker?.unref();
    if (endings === 'applied') awaited?.resolve(Array(awaited.batches).fill({ is: 'applied' }));
    else awaited?.resolve(endings.map(ending));
  }

  #died(why: string): void {
    if (this.#state === 'ready') this.#giveUp(`the thread that writes ${this.#data.file} died: ${why}`);
    this.#state = 'over';
  }
}

function ending(ended: BatchEndingMessage): BatchEnding {
  if (ended.is === 'applied') return ended;
  const { message, code } = ended.error;
  return { ...ended, error: Object.assign(new Error(message), { code }) } as BatchEnding;
}

import { dirname } from 'node:path';
import type { Kysely } from 'kysely';
import { type Clock, delay } from '../../shared/clock.ts';
import { lockSqlite } from '../../shared/database/sqlite-connection.ts';
import { StartError } from '../../shared/start-error.ts';
import type { MemorySchema } from './memory-schema.ts';

/**
 * A starting process waits while another process opens the same file. The first constant is the longest time for this
 * wait, in ms. The second is the pause between two tries, in ms.
 */
const longestOpeningMs = 15_000;
const lookAgainAfterMs = 20;

/** The maximum number of terminals in one SQL statement. */
const atOnce = 500;

/** Thrown if another process already runs some of the terminals that this process is told to run. */
export class TerminalsTakenError extends StartError {
  override name = 'TerminalsTakenError';

  constructor(file: string, { poi_id, pid }: MemorySchema['holder'], others: number) {
    const which = others === 0 ? `${poi_id} runs` : `${poi_id} and ${others} more run`;
    super(
      `${which} in another process (${pid}), with the memory in ${dirname(file)}: end that process first`,
    );
  }
}

/**
 * A process that uses a memory file. While the process lives, it holds a lock beside the file. When the process ends,
 * the lock ends too, even if the process is killed. Each terminal of the process has a row with the number of this
 * lock. So no terminal runs in two processes (B198).
 */
export class TerminalOwnershipLock {
  readonly file: string;
  readonly #lock: number;
  readonly release: () => void;

  private constructor(file: string, lock: number, release: () => void) {
    this.file = file;
    this.#lock = lock;
    this.release = release;
  }

  /** Takes the first lock that no process holds. */
  static take(file: string): TerminalOwnershipLock {
    for (let lock = 1; ; lock++) {
      const release = tryLock(lockOf(file, lock));
      if (release) return new TerminalOwnershipLock(file, lock, release);
    }
  }

  /** @throws TerminalsTakenError if another living process runs one of the terminals */
  async check(db: Kysely<MemorySchema>, poiIds: readonly string[]): Promise<void> {
    const rows = new Map<string, MemorySchema['holder']>();
    for (const some of inBatches(poiIds))
      for (const row of await db.selectFrom('holder').selectAll().where('poi_id', 'in', some).execute())
        rows.set(row.poi_id, row);
    const locks = new Set([...rows.values()].map(({ lock }) => lock));
    const alive = new Set([...locks].filter((lock) => this.#isHeldElsewhere(lock)));
    const inOrder = poiIds.flatMap((poiId) => rows.get(poiId) ?? []);
    const [first, ...others] = inOrder.filter(({ lock }) => alive.has(lock));
    if (first) throw new TerminalsTakenError(this.file, first, others.length);
  }

  /** Notes that this process also runs these terminals. */
  async note(db: Kysely<MemorySchema>, poiIds: readonly string[]): Promise<void> {
    const { pid } = process;
    for (const some of inBatches(poiIds)) {
      const rows = some.map((poi_id) => ({ poi_id, lock: this.#lock, pid }));
      await db.deleteFrom('holder').where('poi_id', 'in', some).execute();
      await db.insertInto('holder').values(rows).execute();
    }
  }

  /** Deletes the rows of an earlier process that held this lock and has ended. */
  async forgetFormer(db: Kysely<MemorySchema>): Promise<void> {
    await db.deleteFrom('holder').where('lock', '=', this.#lock).execute();
  }

  #isHeldElsewhere(lock: number): boolean {
    if (lock === this.#lock) return false;
    const release = tryLock(lockOf(this.file, lock));
    release?.();
    return release === undefined;
  }
}

/**
 * Runs `work`, which changes the tables of a memory file or takes terminals. While `work` runs, no other process can
 * do either of these.
 *
 * @throws StartError if the work of another process does not end in time
 */
export async function withFileLocked<Result>(
  file: string,
  clock: Clock,
  work: () => Promise<Result>,
): Promise<Result> {
  const until = clock.monotonic() + longestOpeningMs;
  let release = tryLock(file);
  while (!release) {
    if (clock.monotonic() > until)
      throw new StartError(`another process is opening ${file} and does not finish: end that process first`);
    await delay(clock, lookAgainAfterMs);
    release = tryLock(file);
  }
  try {
    return await work();
  } finally {
    release();
  }
}

function lockOf(file: string, lock: number): string {
  return `${file}-${lock}`;
}

/** Takes a lock and returns the function that releases it. Returns undefined if another process holds the lock. */
function tryLock(file: string): (() => void) | undefined {
  try {
    return lockSqlite(file, 0);
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
}

function* inBatches(poiIds: readonly string[]): Iterable<readonly string[]> {
  const each = [...new Set(poiIds)];
  for (let at = 0; at < each.length; at += atOnce) yield each.slice(at, at + atOnce);
}

import type { Kysely } from 'kysely';
import type { CommitResult, SqlStep } from './change.ts';

/** How one batch ended; `broken`: its SQL is wrong, which is a defect of ours. */
export type Ending = CommitResult | { is: 'broken'; error: Error };

/** One kind of database. */
export interface DatabaseEngine<Schema> {
  /** For reads and units of work. */
  readonly db: Kysely<Schema>;
  /**
   * Applies batches in their order, each all or nothing, and resolves when they are on disk. It shares one transaction
   * among them where none fails.
   *
   * @throws UnknownOutcome
   */
  apply(batches: readonly (readonly SqlStep[])[]): Promise<Ending[]>;
  /**
   * Runs a unit of work in a transaction, and resolves when it is on disk.
   *
   * @throws UnknownOutcome
   */
  transaction<Result>(work: (connection: Kysely<Schema>) => Promise<Result>): Promise<Result>;
  /** Other processes may change it at the same time. */
  readonly isShared?: boolean;
  /** Whether work failed because another process did the same at that time: done again, it sees what that did. */
  overtaken?(error: unknown): boolean;
  /** Why nobody can say what became of a commit; what is asked for is refused meanwhile. */
  lost?(): Error | undefined;
  /** A table of the database that others made; asked where ours are not there yet. */
  foreign?(db: Kysely<Schema>): Promise<string | undefined>;
  /** It will be closed: what is not there is no longer waited for. */
  closing?(): void;
  /** Where it is in memory: all of it, which another can begin with. */
  image?: (() => Buffer) | undefined;
  /**
   * Ends it as a kill ends the process: what is not committed never is. What the thread was handed before may be. Resolves
   * when the file is let go; absent where that cannot be.
   */
  abandon?(): Promise<void>;
  close(): Promise<void>;
}

/** A commit failed, and whether it is on disk cannot be known. */
export class UnknownOutcome extends Error {
  override name = 'UnknownOutcome';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

import type { Kysely } from 'kysely';
import type { CommitResult, SqlStep } from './change.ts';

/** How one batch ended; `broken` means that its SQL is wrong, which is a defect of pinpad. */
export type Ending = CommitResult | { is: 'broken'; error: Error };

/** One kind of database. */
export interface DatabaseEngine<Schema> {
  /** Kysely for reads and units of work. */
  readonly db: Kysely<Schema>;
  /**
   * Applies batches in their order, each completely or not at all, and resolves when they are on disk. If none fails,
   * they share one transaction.
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
  /** Whether other processes may change the database at the same time. */
  readonly isShared?: boolean;
  /**
   * Whether work failed because another process stored something conflicting at that time. If the work is repeated, it
   * sees what that process stored.
   */
  overtaken?(error: unknown): boolean;
  /** The reason why the outcome of a commit is unknown at present; calls are refused meanwhile. */
  lost?(): Error | undefined;
  /**
   * Gives the name of a table in the database that another program made. Called while pinpad's own tables are missing.
   */
  foreign?(db: Kysely<Schema>): Promise<string | undefined>;
  /** Tells the engine that it will be closed, so that it no longer waits for a server that is gone. */
  closing?(): void;
  /** Gives the whole database in memory, as an image that another database can start from. */
  image?: (() => Buffer) | undefined;
  /**
   * Ends the engine as a kill ends the process. Changes that are not committed never will be, except those that the
   * thread was handed before. Resolves when the file is closed; absent if that is not possible.
   */
  abandon?(): Promise<void>;
  close(): Promise<void>;
}

/** A commit failed, and it is unknown whether it is on disk. */
export class UnknownOutcome extends Error {
  override name = 'UnknownOutcome';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

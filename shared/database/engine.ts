import type { Kysely } from 'kysely';
import type { CommitResult, SqlStep } from './change.ts';

/** How one batch ended. `broken` means that the SQL of the batch is wrong, which is a defect of pinpad. */
export type BatchEnding = CommitResult | { is: 'broken'; error: Error };

/** The part of a database that differs between SQLite and PostgreSQL. */
export interface DatabaseEngine<Schema> {
  /** The Kysely instance for reads and units of work. */
  readonly db: Kysely<Schema>;
  /**
   * Applies batches in their order, each completely or not at all. Resolves when the batches are on disk. If no batch
   * fails, all batches share one transaction.
   *
   * @throws UnknownCommitOutcomeError
   */
  apply(batches: readonly (readonly SqlStep[])[]): Promise<BatchEnding[]>;
  /**
   * Runs a unit of work in a transaction. Resolves when its changes are on disk.
   *
   * @throws UnknownCommitOutcomeError
   */
  transaction<Result>(work: (connection: Kysely<Schema>) => Promise<Result>): Promise<Result>;
  /** Whether other processes may change the database at the same time. */
  readonly isShared?: boolean;
  /**
   * Whether work failed because another process stored conflicting data while the work was running. If the work is
   * repeated, it reads these data.
   */
  overtaken?(error: unknown): boolean;
  /** The reason why the outcome of a commit is unknown at present. Calls are refused meanwhile. */
  lost?(): Error | undefined;
  /**
   * Gives the name of a table that another program made in the database. It is called if pinpad's own tables are
   * missing.
   */
  foreign?(db: Kysely<Schema>): Promise<string | undefined>;
  /** Announces that the engine will be closed. From then on it does not wait for a server that is gone. */
  closing?(): void;
  /** Gives the contents of a database in memory as an image. Another database can start with that image. */
  image?: (() => Buffer) | undefined;
  /**
   * Ends the engine at once, as if the process had been killed. A change that is not committed yet is lost, unless the
   * thread that writes has already received it. Resolves when the file is closed. An engine that cannot do this has no
   * such function.
   */
  abandon?(): Promise<void>;
  close(): Promise<void>;
}

/** Thrown if a commit failed and it is unknown whether the commit is on disk. */
export class UnknownCommitOutcomeError extends Error {
  override name = 'UnknownOutcomeError';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

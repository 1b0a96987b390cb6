import { CompiledQuery, type Kysely } from 'kysely';
import { UnknownCommitOutcomeError } from './engine.ts';

const begin = CompiledQuery.raw('begin');
const commit = CompiledQuery.raw('commit');
const rollback = CompiledQuery.raw('rollback');

/**
 * Runs `work` in a transaction of one connection. If the commit fails, `commitFailed` is called with the error.
 * `commitFailed` returns if the commit is on disk despite the error, and throws an error otherwise.
 *
 * @throws UnknownCommitOutcomeError if `commitFailed` throws it
 */
export function runInTransaction<Schema, Result>(
  db: Kysely<Schema>,
  work: (connection: Kysely<Schema>) => Promise<Result>,
  commitFailed: (error: unknown) => void | Promise<void>,
): Promise<Result> {
  return db.connection().execute(async (connection) => {
    await connection.executeQuery(begin);
    try {
      const result = await work(connection);
      await connection.executeQuery(commit).catch(commitFailed);
      return result;
    } catch (error) {
      if (!(error instanceof UnknownCommitOutcomeError))
        await connection.executeQuery(rollback).catch(() => {});
      throw error;
    }
  });
}

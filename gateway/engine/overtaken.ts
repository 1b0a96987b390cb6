import type { CommitResult } from '../../shared/database/change.ts';
import { ApiError } from '../http/errors.ts';
import type { MemoryCopyUpdater } from './memory-copies.ts';

/** Another gateway changed the same data first, so nothing was stored. */
class Overtaken extends Error {
  override name = 'Overtaken';
}

/**
 * Resolves when the commit has been applied.
 *
 * @throws Overtaken if another gateway was faster, or the storage's error if the storage failed
 */
export async function waitUntilCommitApplied(commit: Promise<CommitResult>): Promise<void> {
  const result = await commit;
  if (result.is === 'applied') return;
  throw result.because === 'storage' ? result.error : new Overtaken('', { cause: result.error });
}

const mostTries = 5;

/**
 * Runs `work`, which bases its decision on the data in memory. If `work` throws {@link Overtaken}, reads the changes of
 * the other gateways and runs `work` again.
 *
 * @throws ApiError conflict if other gateways are faster again and again
 */
export async function retryIfOvertaken<Result>(
  copies: MemoryCopyUpdater,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      if (tries === mostTries)
        throw new ApiError('conflict', {
          message: 'Other gateways are changing the same data; try again',
        });
      const current = copies.current();
      if (!current) throw error.cause;
      await current;
    }
  }
}

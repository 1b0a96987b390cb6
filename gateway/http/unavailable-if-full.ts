import { TaskQueueFullError } from '../../shared/lanes.ts';
import { ApiError } from './errors.ts';

/** If too many requests wait for their turn, throws an error that asks the client to try again (B68). */
export function throwUnavailableIfFull<Result>(turn: Promise<Result>): Promise<Result> {
  return turn.catch((error: unknown) => {
    if (!(error instanceof TaskQueueFullError)) throw error;
    throw new ApiError('unavailable', { headers: { 'Retry-After': '1' } });
  });
}

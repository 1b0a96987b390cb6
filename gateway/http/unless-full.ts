import { LaneFull } from '../../shared/lanes.ts';
import { ApiError } from './errors.ts';

/** Turns the error that too many requests wait for their turn into one that tells the client to come again (B68). */
export function unlessFull<Result>(turn: Promise<Result>): Promise<Result> {
  return turn.catch((error: unknown) => {
    if (!(error instanceof LaneFull)) throw error;
    throw new ApiError('unavailable', { headers: { 'Retry-After': '1' } });
  });
}

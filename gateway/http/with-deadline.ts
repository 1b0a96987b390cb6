import type { Clock } from '../../shared/clock.ts';
import { ApiError } from './errors.ts';

/** The work may exceed its time limit by at most this many real ms. */
const stepMs = 100;

/**
 * Resolves with the result of `work`. If there is no result by the time `at` on the monotonic clock, rejects with 503
 * and `Retry-After`. The work itself continues: a database that did not answer in time may still carry out the work
 * later (B68).
 *
 * @throws ApiError unavailable, with `message`
 */
export function withDeadline<Result>(
  clock: Clock,
  at: number,
  work: Promise<Result>,
  message: string,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new ApiError('unavailable', { message, headers: { 'Retry-After': '1' } }));
    const timer = clock.setTimeout(late, leftMs(clock, at));
    work.then(
      (result) => {
        clock.clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clock.clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/**
 * Gives the time that is left, rounded up to one of a few durations. Node keeps a list of timers for each duration, and
 * nearly every request needs a timer. With only a few durations, Node needs only a few lists.
 */
function leftMs(clock: Clock, at: number): number {
  const left = Math.max(0, at - clock.monotonic());
  return clock.virtual ? left : Math.ceil(left / stepMs) * stepMs;
}

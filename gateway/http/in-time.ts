import type { Clock } from '../../shared/clock.ts';
import { ApiError } from './errors.ts';

/** A limit runs out up to so much later where time is real. */
const stepMs = 100;

/**
 * What `work` gives; if that is not known at a moment of the monotonic clock, 503 with `Retry-After`. The work goes on: a
 * store that stands still may take up what it was asked for when it goes on (B68).
 *
 * @throws ApiError unavailable, with `message`
 */
export function inTime<Result>(
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

/** Node keeps a list of timers for each length: of a few lengths, as nearly every request needs one and none runs out. */
function leftMs(clock: Clock, at: number): number {
  const left = Math.max(0, at - clock.monotonic());
  return clock.virtual ? left : Math.ceil(left / stepMs) * stepMs;
}

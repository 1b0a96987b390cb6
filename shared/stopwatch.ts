import type { Clock } from './clock.ts';

/**
 * Starts to measure. The returned function gives how long ago that was, in whole milliseconds, whatever the wall clock
 * is set to (B122).
 */
export function stopwatch(clock: Pick<Clock, 'monotonic'>): () => number {
  const startedAt = clock.monotonic();
  return () => Math.round(clock.monotonic() - startedAt);
}

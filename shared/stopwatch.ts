import type { Clock } from './clock.ts';

/**
 * Starts to measure time. The returned function gives the whole milliseconds since then. They are right even if the
 * wall clock was changed meanwhile (B122).
 */
export function startStopwatch(clock: Pick<Clock, 'monotonic'>): () => number {
  const startedAt = clock.monotonic();
  return () => Math.round(clock.monotonic() - startedAt);
}

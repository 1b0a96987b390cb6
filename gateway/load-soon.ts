import type { Clock } from '../shared/clock.ts';

/** By then whoever waits for the start has what it waited for, and clients have hardly taken all file descriptors. */
const soonMs = 1_000;

/**
 * Loads what a start leaves to its first use, a moment after it: a Node before 24.21 that fails to load a module, as it does
 * without a file descriptor, never loads it again (B196). Gives what cancels it.
 */
export function loadSoon(clock: Clock, load: () => Promise<unknown>): () => void {
  const timer = clock.setTimeout(() => void load().catch(() => {}), soonMs); // the first use tells why it fails
  return () => clock.clearTimeout(timer);
}

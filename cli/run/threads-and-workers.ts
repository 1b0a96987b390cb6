import { availableParallelism } from 'node:os';
import type { Spread } from '../../shared/threads/thread-pool.ts';
import type { RunFlags } from './flags.ts';

/** A thread stays busy if it runs this many scenarios at a time, because some of them wait. */
const workersOfThread = 4;

/**
 * Decides how many threads and workers run the scenarios. There is one thread if people watch, if several scenarios may
 * write one file, or if another process does the work. A thread is started only if its work takes longer than its
 * start.
 */
export function threadsAndWorkersFor(
  { slow, tui, update, gateway, ...flags }: RunFlags,
  scenarios: number,
  cores = availableParallelism(),
): Spread {
  if (slow || tui) return { threads: 1, workers: 1 };
  const asked = update || gateway ? 1 : (flags.threads ?? cores);
  const worthIt = flags.threads ?? Math.ceil(scenarios / (2 * workersOfThread));
  const workers = flags.workers ?? asked * workersOfThread;
  return { threads: Math.min(asked, workers, worthIt, Math.max(1, scenarios)), workers };
}

import { availableParallelism } from 'node:os';
import type { ThreadPoolSize } from '../../shared/threads/thread-pool.ts';
import type { RunFlags } from './flags.ts';

/**
 * The number of scenarios that a thread runs at the same time. With fewer, the thread would sometimes be idle, because
 * scenarios often wait.
 */
const workersOfThread = 4;

/**
 * Decides how many threads and workers run the scenarios. There is only one thread if people watch (`--slow`,
 * `--tui`), if several scenarios may write one file (`--update`), or if the gateway is another process (`--gateway`).
 * By default, a further thread is started only if there are enough scenarios for it.
 */
export function chooseThreadAndWorkerCounts(
  { slow, tui, update, gateway, ...flags }: RunFlags,
  scenarios: number,
  cores = availableParallelism(),
): ThreadPoolSize {
  if (slow || tui) return { threads: 1, workers: 1 };
  const asked = update || gateway ? 1 : (flags.threads ?? cores);
  const worthIt = flags.threads ?? Math.ceil(scenarios / (2 * workersOfThread));
  const workers = flags.workers ?? asked * workersOfThread;
  return { threads: Math.min(asked, workers, worthIt, Math.max(1, scenarios)), workers };
}

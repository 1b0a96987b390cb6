import { workerData } from 'node:worker_threads';
import type { Clock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import type { JobThreadData } from '../../shared/threads/job-thread.ts';
import { copyJournalAsPlainData } from '../../shared/threads/journal-as-data.ts';
import { serveJobs } from '../../shared/threads/serve-jobs.ts';
import { makeLocalEnvironmentProvider } from '../run/local-environment-provider.ts';
import type { LocalEnvironmentSettings } from '../run/run-environment.ts';
import { RunMaker, type RunRequest, type RunSettings } from '../run/run-maker.ts';
import type { RunRecord } from '../run/run-record.ts';

/** The data for a thread that makes runs. */
export interface RunThreadData {
  readonly settings: RunSettings;
  readonly arena: LocalEnvironmentSettings;
}

/** Makes the runs that this thread gets from `RunThreadPool`, until `RunThreadPool` is closed. */
export async function serveRuns({ clock, random }: { clock: Clock; random: Random }): Promise<void> {
  const { workers, data } = workerData as JobThreadData & { readonly data: RunThreadData };
  const stop = new AbortController();
  const context = { arena: makeLocalEnvironmentProvider(data.arena), clock, random, stopped: stop.signal };
  const maker = await RunMaker.start(data.settings, context, workers);
  // If an error ends this thread but not the process, its commands would continue without a gateway, so they are
  // killed.
  process.once('exit', () => maker.kill());
  serveJobs<RunRequest, RunRecord>({
    run: async (order, worker) => {
      const record = await maker.make(order, worker);
      return { ...record, entries: copyJournalAsPlainData(record.entries) };
    },
    stop: () => stop.abort(),
    close: () => maker.close(),
  });
}

import { StartError } from '../../shared/start-error.ts';
import { copyJournalAsPlainData } from '../../shared/threads/journal-as-data.ts';
import { serveJobs } from '../../shared/threads/serve-jobs.ts';
import { describeReasonNotRun } from '../run/reason-not-run.ts';
import type { ScenarioResult } from '../run/run-scenario.ts';
import { runScenarioJob, type ScenarioJob } from './scenario-job.ts';

/** The program of a thread that runs scenarios: see ScenarioThreads. */
serveJobs<ScenarioJob, ScenarioResult>({
  async run(job) {
    try {
      const result = await runScenarioJob(job);
      return { ...result, journal: copyJournalAsPlainData(result.journal) };
    } catch (error) {
      // Of all errors, only a StartError keeps its class in the other thread. So the reason is sent as the message of
      // a StartError.
      throw new StartError(describeReasonNotRun(error));
    }
  },
});

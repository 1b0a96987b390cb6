import { StartError } from '../../shared/start-error.ts';
import { journalAsData } from '../../shared/threads/journal-as-data.ts';
import { serveJobs } from '../../shared/threads/serve-jobs.ts';
import { reasonNotRun } from '../run/reason-not-run.ts';
import type { ScenarioResult } from '../run/run-scenario.ts';
import { runScenarioJob, type ScenarioJob } from './scenario-job.ts';

/** The program of a thread that runs scenarios: see ScenarioThreads. */
serveJobs<ScenarioJob, ScenarioResult>({
  async run(job) {
    try {
      const result = await runScenarioJob(job);
      return { ...result, journal: journalAsData(result.journal) };
    } catch (error) {
      // An error that goes to the other thread loses its class, except a StartError. There, its message is the whole
      // reason.
      throw new StartError(reasonNotRun(error));
    }
  },
});

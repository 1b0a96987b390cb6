import { extname } from 'node:path';
import { ThreadEndedError } from '../../shared/threads/job-thread.ts';
import { ThreadPool, type ThreadPoolSize } from '../../shared/threads/thread-pool.ts';
import { ScenarioError } from '../environment/scenario-context.ts';
import type { Scenario } from '../format/load-scenarios.ts';
import type { ScenarioResult } from '../run/run-scenario.ts';
import type { TraceSettings } from './run-traced.ts';
import { runScenarioJob, type ScenarioJob } from './scenario-job.ts';

interface ThreadOptions extends ThreadPoolSize {
  readonly tracing?: TraceSettings;
}

/**
 * Runs scenarios on several threads. No scenario has to wait for a thread that is still loading. If a thread ends,
 * only the scenarios on this thread fail.
 */
export class ScenarioThreads {
  readonly #tracing: TraceSettings | undefined;
  readonly #pool: ThreadPool<ScenarioJob, ScenarioResult>;

  constructor({ tracing, ...spread }: ThreadOptions) {
    this.#tracing = tracing;
    this.#pool = new ThreadPool({
      name: 'scenarios',
      program: new URL(`./scenario-thread${extname(import.meta.filename)}`, import.meta.url),
      here: runScenarioJob,
      ...spread,
    });
  }

  /** @throws ScenarioError if the scenario's thread ended */
  async run(scenario: Scenario, seed: number | undefined): Promise<ScenarioResult> {
    try {
      return await this.#pool.run({ scenario, seed, tracing: this.#tracing });
    } catch (error) {
      if (!(error instanceof ThreadEndedError)) throw error;
      throw new ScenarioError(`the thread that ran this scenario ended: ${error.message}`);
    }
  }

  /** Lets the threads finish their scenarios and end. Resolves when all threads have ended. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  /** Resolves when no thread is loading, so that the process can exit. */
  loaded(): Promise<void> {
    return this.#pool.loaded();
  }
}

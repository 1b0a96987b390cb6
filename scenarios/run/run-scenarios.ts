import { type Clock, delay } from '../../shared/clock.ts';
import type { Finding } from '../../shared/lint/finding.ts';
import { startStopwatch } from '../../shared/stopwatch.ts';
import type { Scenario } from '../format/load-scenarios.ts';
import { describeReasonNotRun } from './reason-not-run.ts';
import type { ScenarioResult } from './run-scenario.ts';

interface RunListener {
  started?(scenario: Scenario): void;
  ended?(result: ScenarioResult): void;
}

interface RunOptions extends RunListener {
  /**
   * The number of scenarios that run at the same time. Each of these scenarios has a separate gateway and separate
   * terminals.
   */
  workers: number;
  /** How often every scenario runs, each time with the next seed. */
  repeat?: number;
  seed?: number;
  /** The number of failures after which no further scenario begins. */
  bail?: number;
  /**
   * Ends the run. When the signal aborts, no further scenario begins, and the scenarios that are running get some
   * time to end.
   */
  signal?: AbortSignal;
  /** The real clock. It measures how long scenarios run, and how long they take to end after `signal` has aborted. */
  clock: Clock;
  run(scenario: Scenario, seed: number | undefined): Promise<ScenarioResult>;
}

/** The result of a run. */
export interface RunSummary {
  /** The results in the order of the scenarios. It does not matter which scenario ended first. */
  readonly results: readonly ScenarioResult[];
  /** The number of scenarios that did not begin because the run was ended early. */
  readonly notRun: number;
  readonly tookMs: number;
  /**
   * The mistakes that other clients made during the run. Absent if no other client can use the gateways of the
   * scenarios.
   */
  readonly pointOfSale?: readonly Finding[];
}

/** The milliseconds that running scenarios get to end after `signal` has aborted. */
const graceMs = 2_000;

/** Runs scenarios, several at a time. */
export async function runScenarios(scenarios: readonly Scenario[], options: RunOptions): Promise<RunSummary> {
  const { clock, workers, repeat = 1, seed, bail = Number.POSITIVE_INFINITY, signal } = options;
  const tookMs = startStopwatch(clock);
  const jobs = Array.from({ length: repeat }, (_, round) =>
    scenarios.map((scenario) => ({
      scenario,
      seed: repeat === 1 ? seed : (seed ?? scenario.needs.seed ?? 1) + round,
    })),
  ).flat();
  const results: (ScenarioResult | undefined)[] = jobs.map(() => undefined);
  let next = 0;
  let failed = 0;
  const work = async () => {
    while (next < jobs.length && failed < bail && !signal?.aborted) {
      const index = next++;
      const job = jobs[index];
      if (!job) return;
      options.started?.(job.scenario);
      const result = await runOne(job, options);
      results[index] = result;
      if (result.verdict === 'failed') failed++;
      options.ended?.(result);
    }
  };
  const all = Promise.all(Array.from({ length: Math.min(workers, jobs.length) }, work));
  await (signal ? Promise.race([all, graceAfter(signal, clock)]) : all);
  const done = results.filter((result) => result !== undefined);
  return { results: done, notRun: jobs.length - done.length, tookMs: tookMs() };
}

function graceAfter(signal: AbortSignal, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => void delay(clock, graceMs).then(resolve), { once: true });
  });
}

/** Runs one scenario. If its environment cannot be set up, the scenario fails, but the run continues. */
async function runOne(
  { scenario, seed }: { scenario: Scenario; seed: number | undefined },
  { clock, run }: RunOptions,
): Promise<ScenarioResult> {
  const tookMs = startStopwatch(clock);
  try {
    return await run(scenario, seed);
  } catch (error) {
    return {
      scenario,
      seed: seed ?? 1,
      verdict: 'failed',
      failure: {
        at: scenario.at,
        step: '',
        message: describeReasonNotRun(error),
        snapshot: [],
      },
      tookMs: tookMs(),
      journal: [],
      findings: [],
    };
  }
}

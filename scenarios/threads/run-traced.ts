import { StartError } from '../../shared/start-error.ts';
import type { ScenarioResult, ScenarioRunOptions } from '../run/run-scenario.ts';
import { ScenarioTracer } from '../trace/trace-scenario.ts';

/** Of which scenarios a trace is written, and where. */
export interface Tracing {
  readonly when: 'on' | 'retain-on-failure';
  readonly folder: string;
  /** The folder that all scenarios of the run have in common: the folders below it are kept. */
  readonly below: string;
}

/**
 * Runs a scenario in the way that `run` does, and writes its trace if `tracing` wants one. A trace that cannot be
 * written does not fail the scenario: the result says so (`notTraced`).
 */
export async function runTraced(
  tracing: Tracing | undefined,
  run: (traced: (options: ScenarioRunOptions) => ScenarioRunOptions) => Promise<ScenarioResult>,
): Promise<ScenarioResult> {
  if (!tracing) return run((options) => options);
  const tracer = new ScenarioTracer();
  const result = await run((options) => tracer.traced(options));
  const isWanted = tracing.when === 'on' || result.verdict === 'failed';
  if (!isWanted || result.verdict === 'skipped') return result;
  try {
    return { ...result, trace: await tracer.write(result, tracing.folder, tracing.below) };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return { ...result, notTraced: error.message };
  }
}

import { StartError } from '../../shared/start-error.ts';
import type { ScenarioResult, ScenarioRunOptions } from '../run/run-scenario.ts';
import { ScenarioTracer } from '../trace/trace-scenario.ts';

/** The settings for traces: which scenarios get a trace, and the folder for the traces. */
export interface TraceSettings {
  readonly when: 'on' | 'retain-on-failure';
  readonly folder: string;
  /**
   * The folder that contains all scenarios of the run. If a scenario is in a subfolder of this folder, its trace is in
   * a subfolder with the same path.
   */
  readonly below: string;
}

/**
 * Runs a scenario with `run`, and writes its trace if `tracing` asks for a trace. If the trace cannot be written, the
 * scenario does not fail, but the result contains the reason (`notTraced`).
 */
export async function runTraced(
  tracing: TraceSettings | undefined,
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

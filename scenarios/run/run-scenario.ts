import type { JournalEntry } from '../../shared/journal.ts';
import type { Finding } from '../../shared/lint/finding.ts';
import { lintWithSales } from '../../shared/lint/lint-with-sales.ts';
import { configOfNeeds, terminalNamesOf } from '../environment/config-of-needs.ts';
import { startLocalEnvironment } from '../environment/local-environment.ts';
import type { TestEnvironment } from '../environment/scenario-context.ts';
import type { Scenario } from '../format/load-scenarios.ts';
import { requirementsOf } from './requirements.ts';
import { runSteps, type ScenarioFailure, type StepListener } from './run-steps.ts';

/** The result of a scenario. */
export interface ScenarioResult {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  /** The reason why the scenario was skipped. */
  readonly reason?: string;
  readonly failure?: ScenarioFailure;
  /** The real milliseconds that the scenario took. */
  readonly tookMs: number;
  readonly journal: readonly JournalEntry[];
  /** The mistakes of the scenario's POS that will do harm in the field (docs/lint.md). */
  readonly findings: readonly Finding[];
  /** The file of stored values, if it was written. */
  readonly written?: string;
  /** The reason why the file of stored values could not be written. */
  readonly notWritten?: string;
  /** The file of the scenario's trace, if one was written. */
  readonly trace?: string;
  /** The reason why the scenario's trace could not be written. */
  readonly notTraced?: string;
}

export interface ScenarioRunOptions {
  seed?: number;
  /** Whether the actual values replace the stored values. */
  update?: boolean;
  onStep?: StepListener;
  /** Whether the scenario's requests and webhooks must stay on this machine. */
  staysHere?: boolean;
  /**
   * Returns how many real milliseconds a step of virtual time should take, so that people can watch. This function does
   * not affect the virtual time.
   */
  showMs?: (virtualMs: number) => number;
  /** Called with the environment before the first step. */
  onStart?: (environment: TestEnvironment) => Promise<void> | void;
  /** Called with the failure, if there is one, while the environment still exists. */
  onEnd?: (failure: ScenarioFailure | undefined) => Promise<void> | void;
}

/** Runs a scenario with its own gateway and terminals in this process, in virtual time. */
export async function runScenario(
  scenario: Scenario,
  options: ScenarioRunOptions = {},
): Promise<ScenarioResult> {
  const ownSeed = scenario.needs.seed ?? 1;
  const seed = options.seed ?? ownSeed;
  const environment = await startLocalEnvironment(configOfNeeds(scenario.needs, seed), {
    terminalNames: terminalNamesOf(scenario.needs),
    keepsData: requirementsOf(scenario).restartsGateway,
    showMs: options.showMs,
    ...(options.staysHere && { staysHere: true }),
  });
  try {
    await options.onStart?.(environment);
    const stored = options.update ? 'update' : seed === ownSeed ? 'compare' : 'ignore';
    const { failure, journal, written, notWritten } = await runSteps(scenario, environment, {
      ...options,
      stored,
    });
    await options.onEnd?.(failure);
    const tookMs = environment.tookMs();
    return {
      scenario,
      seed,
      verdict: failure ? 'failed' : 'passed',
      tookMs,
      journal,
      findings: lintScenarioPos(journal, environment),
      written,
      notWritten,
      failure,
    };
  } finally {
    await environment.close();
  }
}

/**
 * Returns the findings about the scenario's own POS. The POS has finished, so a required call that the POS has not made
 * counts as missing.
 */
export function lintScenarioPos(journal: readonly JournalEntry[], { prefix }: TestEnvironment): Finding[] {
  return lintWithSales(journal, { ignore: (requestId) => !requestId.startsWith(prefix) });
}

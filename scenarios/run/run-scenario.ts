import type { JournalEntry } from '../../shared/journal.ts';
import type { Finding } from '../../shared/lint/finding.ts';
import { lintWithSales } from '../../shared/lint/lint-with-sales.ts';
import { configOfNeeds, terminalNames } from '../environment/config-of-needs.ts';
import { localEnvironment } from '../environment/local-environment.ts';
import type { TestEnvironment } from '../environment/scenario-context.ts';
import type { Scenario } from '../format/load-scenarios.ts';
import { requirementsOf } from './requirements.ts';
import { runSteps, type ScenarioFailure, type StepListener } from './run-steps.ts';

/** The result of a scenario. */
export interface ScenarioResult {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  /** The reason why it was skipped. */
  readonly reason?: string;
  readonly failure?: ScenarioFailure;
  /** The real milliseconds that it took. */
  readonly tookMs: number;
  readonly journal: readonly JournalEntry[];
  /** The mistakes of the scenario's POS that will do harm in the field (docs/lint.md). */
  readonly findings: readonly Finding[];
  /** The file of stored expectations, if it was written. */
  readonly written?: string;
  /** The reason why it could not be written. */
  readonly notWritten?: string;
  /** The file of its trace, if one was written. */
  readonly trace?: string;
  /** The reason why its trace could not be written. */
  readonly notTraced?: string;
}

export interface ScenarioRunOptions {
  seed?: number;
  /** Whether the values that the scenario sees replace the stored ones. */
  update?: boolean;
  onStep?: StepListener;
  /** Whether its requests and webhooks reach no other machine. */
  staysHere?: boolean;
  /** The real milliseconds for each step of virtual time, for people who watch; virtual time itself stays the same. */
  showMs?: (virtualMs: number) => number;
  /** Called with the environment before the first step. */
  onStart?: (environment: TestEnvironment) => Promise<void> | void;
  /** Called with the failure, if there is one, while the environment still exists. */
  onEnd?: (failure: ScenarioFailure | undefined) => Promise<void> | void;
}

/** Runs a scenario on a stack of its own in this process, in virtual time. */
export async function runScenario(
  scenario: Scenario,
  options: ScenarioRunOptions = {},
): Promise<ScenarioResult> {
  const ownSeed = scenario.needs.seed ?? 1;
  const seed = options.seed ?? ownSeed;
  const environment = await localEnvironment(configOfNeeds(scenario.needs, seed), {
    terminalNames: terminalNames(scenario.needs),
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
      findings: scenarioFindings(journal, environment),
      written,
      notWritten,
      failure,
    };
  } finally {
    await environment.close();
  }
}

/** The findings about the scenario's own POS. It has finished, so what it has not done yet is never done. */
export function scenarioFindings(journal: readonly JournalEntry[], { prefix }: TestEnvironment): Finding[] {
  return lintWithSales(journal, { ignore: (requestId) => !requestId.startsWith(prefix) });
}

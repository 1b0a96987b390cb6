import { ApiError } from '../../client/api-client.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { explainIssue, plainErrorMap } from '../../shared/plain-faults.ts';
import { StartError } from '../../shared/start-error.ts';
import { createActors, makePlaceholderLookup } from '../environment/actors.ts';
import { readWebhookNeeds } from '../environment/config-of-needs.ts';
import { ScenarioContext, ScenarioError, type TestEnvironment } from '../environment/scenario-context.ts';
import { describeScreen } from '../environment/terminal-actions.ts';
import { ExpectationError } from '../expect/expect.ts';
import { describeJournalEntry } from '../expect/gateway-records.ts';
import { StoredValues, type StoredValuesMode } from '../expect/stored-values.ts';
import type { Scenario, ScenarioStep } from '../format/load-scenarios.ts';
import { fillPlaceholders, placeholdersIn } from '../format/placeholders.ts';
import type { FilePlace } from '../format/scenario-file.ts';
import { setFaults } from '../verbs/faults.ts';
import type { StepContext } from '../verbs/verb.ts';
import { verbs } from '../verbs/verbs.ts';
import { findUsedStoredValueNames } from './used-stored-expectations.ts';

/** The failure of a scenario: the step, the reason, and the state at that moment. */
export interface ScenarioFailure {
  readonly at: FilePlace;
  /** The step as written in the file. */
  readonly step: string;
  readonly message: string;
  /** The screen of each terminal, and the last entries of the journal. */
  readonly snapshot: readonly string[];
}

/** The result of a scenario's steps. */
interface StepsResult {
  readonly failure: ScenarioFailure | undefined;
  readonly journal: readonly JournalEntry[];
  /** The file of stored values, if it was written. */
  readonly written?: string;
  /** The reason why that file could not be written. */
  readonly notWritten?: string;
}

/** Called with every step before it runs. */
export type StepListener = (step: ScenarioStep) => Promise<void> | void;

class StepFailed extends Error {
  readonly step: ScenarioStep;
  constructor(step: ScenarioStep, cause: unknown) {
    super('a step failed', { cause });
    this.step = step;
  }
}

/**
 * Runs a scenario in an environment that meets the scenario's needs. Every step waits until it can be carried out.
 * Resolves when all branches have ended.
 */
export async function runSteps(
  scenario: Scenario,
  environment: TestEnvironment,
  options: { onStep?: StepListener; firstSeq?: number; stored?: StoredValuesMode } = {},
): Promise<StepsResult> {
  const context = new ScenarioContext(environment, { firstSeq: options.firstSeq ?? 0 });
  const stored = new StoredValues(scenario.file, options.stored ?? 'compare');
  const actors: StepContext = { ...createActors(context), stored };
  const runner = new StepRunner(actors, options.onStep);
  let failure: ScenarioFailure | undefined;
  try {
    for (const options of readWebhookNeeds(scenario.needs)) await actors.receivers.open(options);
    await setFaults(actors, scenario.needs.faults);
    await context.scheduler.branch(() => runner.run(scenario.steps));
  } catch (error) {
    failure = await failureOf(error, scenario, actors);
  }
  // If the gateway is gone, the next two calls fail too, but the failure of the step says more than their errors.
  const throwUnlessFailed = (error: unknown): undefined => {
    if (!failure) throw error;
  };
  let journal: readonly JournalEntry[] | undefined;
  try {
    journal = await context.journal().catch(throwUnlessFailed);
  } finally {
    await actors.receivers.close().catch(throwUnlessFailed);
  }
  const saved = failure || options.stored !== 'update' ? {} : save(stored, scenario);
  return { failure, journal: journal ?? [], ...saved };
}

/** Writes the stored values. The scenario passes even if the file cannot be written. */
function save(stored: StoredValues, { file }: Scenario): Pick<StepsResult, 'written' | 'notWritten'> {
  try {
    return { written: stored.save(findUsedStoredValueNames(file)) };
  } catch (error) {
    if (error instanceof StartError) return { notWritten: error.message };
    throw error;
  }
}

class StepRunner {
  #actors: StepContext;
  #onStep: StepListener | undefined;
  #beside: { done: boolean; error?: unknown; step: ScenarioStep }[] = [];

  constructor(actors: StepContext, onStep: StepListener | undefined) {
    this.#actors = actors;
    this.#onStep = onStep;
  }

  /** Runs the scenario's steps, then waits until all of its branches have ended. */
  async run(steps: readonly ScenarioStep[]): Promise<void> {
    await this.#steps(steps);
    const { scheduler } = this.#actors.context;
    for (const branch of this.#beside) {
      await scheduler.until(() => (branch.done ? true : undefined), 600_000);
      if (branch.error) throw branch.error;
    }
  }

  async #steps(steps: readonly ScenarioStep[]): Promise<void> {
    for (const step of steps) {
      try {
        await this.#onStep?.(step);
        await this.#actors.context.time.settled();
        await this.#step(step);
      } catch (error) {
        throw error instanceof StepFailed ? error : new StepFailed(step, error);
      }
    }
  }

  async #step(step: ScenarioStep): Promise<void> {
    if ('together' in step) return this.#together(step.together.map(({ steps }) => steps));
    if ('meanwhile' in step) return this.#meanwhile(step, step.meanwhile);
    const fields = fillPlaceholders(step.fields, await makePlaceholderLookup(this.#actors));
    const [unknown] = placeholdersIn(fields);
    if (unknown !== undefined) throw new ScenarioError(notThere(unknown, this.#actors));
    const verb = verbs.get(step.verb);
    if (!verb) throw new ScenarioError(`unknown verb ${step.verb}`);
    const checked = verb.schema.safeParse(fields, { error: plainErrorMap });
    if (!checked.success) throw new ScenarioError(checked.error.issues.map(explainIssue).join('; '));
    await verb.run(this.#actors, checked.data);
  }

  async #together(branches: readonly (readonly ScenarioStep[])[]): Promise<void> {
    const { scheduler } = this.#actors.context;
    let running = branches.length;
    const errors: unknown[] = [];
    for (const steps of branches) {
      void scheduler
        .branch(() => this.#steps(steps))
        .catch((error) => errors.push(error))
        .finally(() => running--);
    }
    await scheduler.until(() => (running === 0 || errors.length > 0 ? true : undefined), 600_000);
    if (errors.length > 0) throw errors[0];
  }

  #meanwhile(step: ScenarioStep, steps: readonly ScenarioStep[]): void {
    const branch: { done: boolean; error?: unknown; step: ScenarioStep } = { done: false, step };
    this.#beside.push(branch);
    void this.#actors.context.scheduler
      .branch(() => this.#steps(steps))
      .catch((error) => {
        branch.error = error;
      })
      .finally(() => {
        branch.done = true;
      });
  }
}

function notThere(name: string, { pos, context }: StepContext): string {
  const requests = pos.sent.flatMap((sent) => sent.name ?? []);
  const terminals = context.environment.terminals.map((terminal) => `terminals.${terminal.name}`);
  return `<${name}> is not defined; defined names: ${[...requests, 'terminal', ...terminals].join(', ')}`;
}

async function failureOf(
  error: unknown,
  scenario: Scenario,
  { context }: StepContext,
): Promise<ScenarioFailure> {
  const failed = error instanceof StepFailed ? error : undefined;
  const cause = failed ? failed.cause : error;
  const known = [ScenarioError, ExpectationError, ApiError].some((kind) => cause instanceof kind);
  const message =
    cause instanceof Error ? (known ? cause.message : (cause.stack ?? cause.message)) : String(cause);
  return {
    at: failed?.step.at ?? scenario.at,
    step: failed?.step.text ?? '',
    message: message,
    snapshot: await snapshotOf(context).catch((lost: Error) => [
      `the rest of the run cannot be reported: ${lost.message}`,
    ]),
  };
}

async function snapshotOf(context: ScenarioContext): Promise<string[]> {
  const screens: string[] = [];
  for (const { poiId } of context.environment.terminals) {
    screens.push(describeScreen(poiId, await context.screenOf(poiId)));
  }
  const entries = (await context.journal()).filter(({ kind }) => !kind.startsWith('message.')).slice(-8);
  return [...screens, ...entries.map(describeJournalEntry)];
}

import {
  runScenario,
  type Scenario,
  type ScenarioFailure,
  type ScenarioStep,
  type TestEnvironment,
} from '../../scenarios/index.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';

/** The state of a run, for the people who watch the run. */
interface RunState {
  /** A number that grows with every change of the state. */
  readonly version: number;
  readonly name: string;
  /**
   * All steps of the scenario, in the order of the file. If a step has begun, its `seq` is the seq of the last
   * journal entry before the step.
   */
  readonly steps: readonly { readonly text: string; readonly place: string; readonly seq?: number }[];
  /** Whether the run waits before its next step until someone lets it continue. */
  readonly waits: boolean;
  readonly verdict?: 'passed' | 'failed' | 'skipped';
  readonly failure?: string;
  /** The journal of the run's own gateway and terminals. */
  readonly entries: readonly JournalEntry[];
}

/** Runs a scenario on a gateway and terminals of its own in this process. Each step waits until it is requested. */
export class SteppedRun {
  readonly scenario: Scenario;
  #environment: TestEnvironment | undefined;
  #begun = new Map<ScenarioStep, number>();
  #entries: JournalEntry[] = [];
  #version = 1;
  #verdict: RunState['verdict'];
  #failure: ScenarioFailure | undefined;
  #problem: string | undefined;
  #gate: (() => void) | undefined;
  #toTheEnd = false;
  #watchers = new Set<() => void>();

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    void this.#run();
  }

  /** Lets the run continue with the next step only, or with all remaining steps. */
  proceed(how: 'step' | 'end'): void {
    this.#toTheEnd ||= how === 'end';
    this.#gate?.();
    this.#gate = undefined;
  }

  /** Resolves to the state of the run once it differs from `version`, with the journal entries after `since`. */
  async state(version: number, since: number, signal: AbortSignal): Promise<RunState> {
    if (version >= this.#version)
      await new Promise<void>((resolve) => {
        this.#watchers.add(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    const { name, steps } = this.scenario;
    return {
      version: this.#version,
      name,
      steps: steps.map((step) => ({
        text: maskCardNumbers(step.text),
        place: `line ${step.at.line}`,
        seq: this.#begun.get(step),
      })),
      waits: this.#gate !== undefined,
      verdict: this.#verdict,
      failure: this.#problem ?? this.#failure?.message,
      entries: this.#entries.filter(({ seq }) => seq > since),
    };
  }

  async #run(): Promise<void> {
    try {
      const result = await runScenario(this.scenario, {
        onStart: (environment) => {
          this.#environment = environment;
        },
        onStep: (step) => this.#step(step),
        onEnd: () => this.#read(),
      });
      this.#verdict = result.verdict;
      this.#failure = result.failure;
      this.#problem = result.reason;
    } catch (error) {
      this.#verdict = 'failed';
      this.#problem = (error as Error).message;
    }
    this.#changed();
  }

  async #step(step: ScenarioStep): Promise<void> {
    await this.#read();
    if (!this.#toTheEnd) {
      const requested = new Promise<void>((resolve) => {
        this.#gate = resolve;
      });
      this.#changed();
      await requested;
    }
    this.#begun.set(step, this.#entries.at(-1)?.seq ?? 0);
    this.#changed();
  }

  async #read(): Promise<void> {
    const last = this.#entries.at(-1)?.seq ?? 0;
    this.#entries.push(...((await this.#environment?.journalSince(last)) ?? []));
  }

  #changed(): void {
    this.#version++;
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const watcher of watchers) watcher();
  }
}

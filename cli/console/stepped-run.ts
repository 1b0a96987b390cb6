import {
  runScenario,
  type Scenario,
  type ScenarioFailure,
  type ScenarioStep,
  type TestEnvironment,
} from '../../scenarios/index.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';

/** How a run stands, for those who watch it. */
interface RunState {
  /** Counts what has changed. */
  readonly version: number;
  readonly name: string;
  /** All of its steps, as they stand in the file; those that have begun with the journal's last seq before. */
  readonly steps: readonly { readonly text: string; readonly place: string; readonly seq?: number }[];
  /** Whether it waits before the next step until it is let on. */
  readonly waits: boolean;
  readonly verdict?: 'passed' | 'failed' | 'skipped';
  readonly failure?: string;
  /** The journal of its own gateway and terminals. */
  readonly entries: readonly JournalEntry[];
}

/** A scenario on a gateway and terminals of its own in this process, which takes each step on request. */
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

  /** Takes the next step, or all that are left. */
  proceed(how: 'step' | 'end'): void {
    this.#toTheEnd ||= how === 'end';
    this.#gate?.();
    this.#gate = undefined;
  }

  /** How it stands once it is another than `version`, with the journal after `since`. */
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

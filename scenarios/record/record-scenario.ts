import type { JournalEntry } from '../../shared/journal.ts';
import type { RecordedEnvironment } from './recorded-environment.ts';
import { ScenarioRecorder } from './scenario-recorder.ts';
import { scenarioText, stepsText } from './scenario-text.ts';

/**
 * The recorded gateway's accounts and customers become the scenario's `needs`. If they are absent, the scenario uses
 * its own customer and card, and terminals are recognized by their payments.
 */
export interface RecordOptions extends RecordedEnvironment {
  readonly name: string;
  /** If absent, the scenario asks for a description. `remark` has the lines of a comment at the top. */
  readonly description?: string;
  readonly remark?: readonly string[];
  /** The last steps, which replace the expectations about the end of the recording. */
  readonly ending?: readonly Record<string, unknown>[];
}

/**
 * Writes the acts of people at the terminals and the requests of a point of sale as a scenario. The scenario does the
 * same and expects the same results. The journal has no card numbers and no PINs, so the scenario has none either.
 * Gives the text of a YAML file.
 *
 * @example
 * const entries = await pinpad.journal();
 * writeFileSync('recorded.yaml', recordScenario(entries, { name: 'What happened' }));
 */
export function recordScenario(entries: readonly JournalEntry[], options: RecordOptions): string {
  const recorder = new ScenarioRecorder(entries, options);
  const { name, description, remark } = options;
  return scenarioText({ name, description, remark, ...recorder.record(options.ending) });
}

/**
 * Returns the steps of a recording, as texts to paste into a scenario, by the seq of the entry that each repeats: acts
 * at terminals, requests of a point of sale, and answers. They use the scenario's own terminal.
 */
export function recordedSteps(
  entries: readonly JournalEntry[],
  environment?: RecordedEnvironment,
): Map<number, string> {
  const steps = [...stepRecorder(entries, environment).stepsByEntry()];
  return new Map(steps.map(([seq, recorded]) => [seq, stepsText(recorded)]));
}

/** Returns the step that repeats the entry with this seq. */
export function recordedStep(
  entries: readonly JournalEntry[],
  seq: number,
  environment?: RecordedEnvironment,
): string | undefined {
  const recorded = stepRecorder(entries, environment).stepsByEntry().get(seq);
  return recorded && stepsText(recorded);
}

function stepRecorder(
  entries: readonly JournalEntry[],
  { terminals, credits }: RecordedEnvironment = {},
): ScenarioRecorder {
  return new ScenarioRecorder(entries, { terminals, credits, oneTerminal: true });
}

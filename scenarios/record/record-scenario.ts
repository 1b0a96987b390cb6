import type { JournalEntry } from '../../shared/journal.ts';
import type { RecordedEnvironment } from './recorded-environment.ts';
import { ScenarioRecorder } from './scenario-recorder.ts';
import { scenarioText, stepsText } from './scenario-text.ts';

/**
 * The accounts and customers of the recorded gateway become the scenario's `needs`. If they are not given, the scenario
 * uses its default customer and card, and has only the terminals that have a payment in the recording.
 */
export interface RecordOptions extends RecordedEnvironment {
  readonly name: string;
  /**
   * If the description is absent, the scenario contains a text that asks the user for one. `remark` is a list of
   * lines, which become a comment at the top of the file.
   */
  readonly description?: string;
  readonly remark?: readonly string[];
  /**
   * The last steps of the scenario. If absent, the recorder makes expectations about the end of the recording instead.
   */
  readonly ending?: readonly Record<string, unknown>[];
}

/**
 * Turns the actions of people at the terminals and the requests of a point of sale into a scenario. The scenario
 * repeats the actions and requests, and expects the same results. The journal contains no card numbers and no PINs,
 * so the scenario contains none either. Returns the text of a YAML file.
 *
 * @example
 * const entries = await pinpad.journal();
 * writeFileSync('recorded.yaml', recordScenario(entries, { name: 'What happened' }));
 */
export function recordScenario(entries: readonly JournalEntry[], options: RecordOptions): string {
  const { name, description, remark, ending } = options;
  return scenarioText({ name, description, remark, ...ScenarioRecorder.record(entries, options, ending) });
}

/**
 * Returns the steps of a recording as texts that a user can paste into a scenario. The key of each text is the seq of
 * the entry that the step repeats. Such an entry is an action at a terminal, a request of a point of sale, or an
 * answer. The steps name no terminal, because the user's scenario is assumed to have one terminal.
 */
export function makeStepTextsBySeq(
  entries: readonly JournalEntry[],
  environment?: RecordedEnvironment,
): Map<number, string> {
  const steps = recordSteps(entries, environment);
  return new Map([...steps].map(([seq, recorded]) => [seq, stepsText(recorded)]));
}

/** Returns the step that repeats the entry with this seq. */
export function makeStepTextAtSeq(
  entries: readonly JournalEntry[],
  seq: number,
  environment?: RecordedEnvironment,
): string | undefined {
  const recorded = recordSteps(entries, environment).get(seq);
  return recorded && stepsText(recorded);
}

function recordSteps(
  entries: readonly JournalEntry[],
  { terminals, credits }: RecordedEnvironment = {},
): ReturnType<typeof ScenarioRecorder.stepsByEntry> {
  return ScenarioRecorder.stepsByEntry(entries, { terminals, credits });
}

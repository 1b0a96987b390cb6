import { beginEnvironmentReading } from '../../cli/record/recorded-environment.ts';
import {
  recordScenario,
  runScenario,
  type Scenario,
  type ScenarioResult,
  type ScenarioRunOptions,
  type TestEnvironment,
} from '../../scenarios/index.ts';
import type { JournalEntry } from '../../shared/journal.ts';

/** Runs a scenario and records it at the same time. The recording is a scenario too. */
export async function runAndRecord(
  scenario: Scenario,
): Promise<{ result: ScenarioResult; recording: string }> {
  let context:
    | {
        environment: TestEnvironment;
        seq: number;
        found: Awaited<ReturnType<typeof beginEnvironmentReading>>;
      }
    | undefined;
  let recording = '';
  const result = await runScenario(scenario, {
    onStart: async (environment) => {
      const found = await beginEnvironmentReading(environment);
      context = { environment, seq: (await environment.journalSince(0)).at(-1)?.seq ?? 0, found };
    },
    onEnd: async () => {
      if (!context) return;
      const { environment, seq, found } = context;
      recording = recordScenario(await environment.journalSince(seq), {
        ...(await found()),
        name: scenario.name,
      });
    },
  });
  return { result, recording };
}

/**
 * Returns options for a run whose journal has to equal the journal of a recorded run. The recorder sends requests, and
 * each request takes a random id. So a run with these options sends the same requests as the recorder, in order to have
 * the same ids.
 */
export function toRecordedRunOptions(options: ScenarioRunOptions): ScenarioRunOptions {
  return { ...options, onStart: async (environment) => void (await beginEnvironmentReading(environment)) };
}

/** Returns the ends of payments, and the states of refunds, debits and credits. */
export function endsOf(journal: readonly JournalEntry[]): string[] {
  return journal
    .flatMap(({ kind, data }) => {
      if (kind === 'payment.concluded')
        return 'errorCondition' in data ? [`${data.errorCondition}`] : ['success'];
      if (kind === 'refund.changed' && 'status' in data) return [`refund ${data.status}`];
      return /^(debit|credit)\.changed$/.test(kind) && 'state' in data ? [`${kind} ${data.state}`] : [];
    })
    .toSorted();
}

import { type TraceData, tracePage } from '../../console/index.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import type { Finding } from '../../shared/lint/finding.ts';
import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';
import { recordedSteps } from '../record/record-scenario.ts';
import type { RecordedEnvironment } from '../record/recorded-environment.ts';
import { failureOf, type TraceFailure } from './trace-failure.ts';
import { salesIn } from './traced-sales.ts';

/** A step of a scenario that was run. */
export interface TraceStep {
  /** As it stands in the file. */
  readonly text: string;
  readonly at: { readonly file: string; readonly line: number };
  /** The journal's last seq before it began. */
  readonly seq: number;
}

/** What a trace shows. */
interface TracedRun {
  readonly title: string;
  readonly entries: readonly JournalEntry[];
  readonly steps?: readonly TraceStep[];
  readonly failure?: TraceFailure;
  /** What the point of sale did that will go wrong in the field, of `lintJournal`. */
  readonly findings?: readonly Finding[];
  /** What stood on the gateway, for the steps that can be copied. */
  readonly environment?: RecordedEnvironment;
  /** A running gateway's page has more addresses than its own; any other needs nothing but itself. */
  readonly live?: TraceData['live'];
  /** Where they are known already; else they are read from the entries. */
  readonly sales?: TraceData['sales'];
}

/**
 * A run as one self-contained HTML page: lanes of who said what to whom, what the terminals showed, why payments
 * came out as they did. Nothing in it is fetched, and nothing but its own script can run.
 *
 * @example
 * writeFileSync('trace.html', await renderTrace({ title: 'Wrong PIN', entries: stack.runtime.journal.since() }));
 */
export function renderTrace({ failure, steps = [], environment, ...run }: TracedRun): Promise<string> {
  const failing =
    failure && steps.findLast(({ at }) => at.file === failure.at.file && at.line === failure.at.line);
  const data: TraceData = {
    ...run,
    sales: run.sales ?? salesIn(run.entries, run.findings),
    steps: steps.map((step) => ({
      text: maskCardNumbers(step.text),
      place: `${step.at.file}:${step.at.line}`,
      seq: step.seq,
      failed: step === failing,
    })),
    failure: failure && failureOf(failure),
    ...(run.live ? {} : { scenarioSteps: stepsToCopy(run.entries, environment) }),
  };
  return tracePage(data);
}

function stepsToCopy(
  entries: readonly JournalEntry[],
  environment: RecordedEnvironment | undefined,
): TraceData['scenarioSteps'] {
  return Object.fromEntries([...recordedSteps(entries, environment)].filter(([, step]) => isForTraces(step)));
}

/** A card number that is keyed in is in no trace, so neither is its step. */
export function isForTraces(step: string): boolean {
  return maskCardNumbers(step) === step;
}

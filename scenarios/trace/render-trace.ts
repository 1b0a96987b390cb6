import { makeTracePage, type TraceData } from '../../console/index.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import type { Finding } from '../../shared/lint/finding.ts';
import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';
import { makeStepTextsBySeq } from '../record/record-scenario.ts';
import type { RecordedEnvironment } from '../record/recorded-environment.ts';
import { type ReportedFailure, tracedFailureOf } from './trace-failure.ts';
import { makeTracedSales } from './traced-sales.ts';

/** A scenario step that was run. */
export interface TraceStep {
  /** The step as written in the file. */
  readonly text: string;
  readonly at: { readonly file: string; readonly line: number };
  /** The seq of the last journal entry before the step began. */
  readonly seq: number;
}

/** The content of a trace. */
interface TracedRun {
  readonly title: string;
  readonly entries: readonly JournalEntry[];
  readonly steps?: readonly TraceStep[];
  readonly failure?: ReportedFailure;
  /** The mistakes of the point of sale that will do harm in the field, from `lintJournal`. */
  readonly findings?: readonly Finding[];
  /** The gateway's environment. The scenario steps that a user can copy are made with it. */
  readonly environment?: RecordedEnvironment;
  /** The addresses from which the page of a running gateway gets more data; absent for a self-contained page. */
  readonly live?: TraceData['live'];
  /** The sales; if absent, they are read from the entries. */
  readonly sales?: TraceData['sales'];
}

/**
 * Returns a run as one self-contained HTML page: lanes that show who sent which message, the terminals' screens, and
 * the reasons for the outcomes of payments. The page fetches nothing, and it runs only its own script.
 *
 * @example
 * writeFileSync('trace.html', await renderTrace({ title: 'Wrong PIN', entries: stack.runtime.journal.since() }));
 */
export function renderTrace({ failure, steps = [], environment, ...run }: TracedRun): Promise<string> {
  const failing =
    failure && steps.findLast(({ at }) => at.file === failure.at.file && at.line === failure.at.line);
  const data: TraceData = {
    ...run,
    sales: run.sales ?? makeTracedSales(run.entries, run.findings),
    steps: steps.map((step) => ({
      text: maskCardNumbers(step.text),
      place: `${step.at.file}:${step.at.line}`,
      seq: step.seq,
      failed: step === failing,
    })),
    failure: failure && tracedFailureOf(failure),
    ...(run.live ? {} : { scenarioSteps: stepsToCopy(run.entries, environment) }),
  };
  return makeTracePage(data);
}

function stepsToCopy(
  entries: readonly JournalEntry[],
  environment: RecordedEnvironment | undefined,
): TraceData['scenarioSteps'] {
  return Object.fromEntries(
    [...makeStepTextsBySeq(entries, environment)].filter(([, step]) => mayBeInTraces(step)),
  );
}

/**
 * Whether a trace may contain a step. A step that types a card number is left out, because no trace may contain card
 * numbers.
 */
export function mayBeInTraces(step: string): boolean {
  return maskCardNumbers(step) === step;
}

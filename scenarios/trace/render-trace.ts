import { type TraceData, tracePage } from '../../console/index.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';
import type { Finding } from '../lint/lint-journal.ts';
import { failureOf, type TraceFailure } from './trace-failure.ts';

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
  /** What was done and sent as steps of a scenario, of `recordedSteps`. */
  readonly recorded?: ReadonlyMap<number, string>;
  /** Where a page of a running gateway receives further entries; without it the page needs nothing but itself. */
  readonly live?: string;
}

/**
 * A run as one self-contained HTML page: lanes of who said what to whom, what the terminals showed, why payments
 * came out as they did. Nothing in it is fetched, and nothing but its own script can run.
 *
 * @example
 * writeFileSync('trace.html', await renderTrace({ title: 'Wrong PIN', entries: stack.runtime.journal.since() }));
 */
export function renderTrace({
  failure,
  steps = [],
  recorded = new Map(),
  ...run
}: TracedRun): Promise<string> {
  const failing =
    failure && steps.findLast(({ at }) => at.file === failure.at.file && at.line === failure.at.line);
  const data: TraceData = {
    ...run,
    steps: steps.map((step) => ({
      text: maskCardNumbers(step.text),
      place: `${step.at.file}:${step.at.line}`,
      seq: step.seq,
      failed: step === failing,
    })),
    failure: failure && failureOf(failure),
    // A card number that is keyed in is in no trace, so neither is its step.
    scenarioSteps: Object.fromEntries([...recorded].filter(([, step]) => maskCardNumbers(step) === step)),
  };
  return tracePage(data);
}

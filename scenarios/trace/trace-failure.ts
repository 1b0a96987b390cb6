import type { TracedFailure } from '../../console/index.ts';
import { maskCardNumbers } from '../../shared/masking/card-numbers.ts';
import { parseDifferenceLine } from '../expect/match.ts';

/** The failure of a scenario, in the form in which the runner reports it. */
export interface ReportedFailure {
  /** The step as written in the file. */
  readonly step: string;
  readonly message: string;
  readonly at: { readonly file: string; readonly line: number };
  /** The screen of each terminal, and the last entries of the journal. */
  readonly snapshot?: readonly string[];
}

/**
 * Splits a failure into the parts that the page shows: the failing step, the expected state, and the actual state.
 */
export function tracedFailureOf({ step, message, at, snapshot = [] }: ReportedFailure): TracedFailure {
  const lines = message.split('\n');
  return {
    place: `${at.file}:${at.line}`,
    step: maskCardNumbers(step),
    differences: lines.map(parseDifferenceLine).filter((found) => found !== undefined),
    lines: lines.filter((line) => !parseDifferenceLine(line) && !line.startsWith('saw ')),
    saw: lines.filter((line) => line.startsWith('saw ')).map((line) => line.slice('saw '.length)),
    scene: snapshot,
  };
}

import { readFileSync } from 'node:fs';
import { makePrintable } from '../../shared/printable.ts';
import type { ScenarioFailure } from '../run/run-steps.ts';
import type { Paint } from './paint.ts';

/** How many lines before the failing step are shown. */
const before = 2;

/**
 * Returns the lines of the file around the failing step. The lines of the step are marked. Returns no lines if no
 * step failed.
 */
export function makeCodeFrame({ at, step }: ScenarioFailure, paint: Paint): string[] {
  if (step === '') return [];
  const last = at.line + step.split('\n').length - 1;
  const lines = linesOf(at.file);
  if (!lines) return ['', ...step.split('\n').map((line) => `  > ${makePrintable(line)}`)];
  const width = String(last).length;
  const shown = lines.slice(Math.max(0, at.line - 1 - before), last);
  return [
    '',
    ...shown.map((text, index) => {
      const number = last - shown.length + 1 + index;
      const line = `${String(number).padStart(width)} | ${makePrintable(text)}`.trimEnd();
      return number >= at.line ? `${paint.bad('  >')} ${line}` : paint.faint(`    ${line}`);
    }),
  ];
}

/** Returns the lines of a file; undefined if the file no longer exists. */
function linesOf(file: string): string[] | undefined {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return undefined;
  }
}

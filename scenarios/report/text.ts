import type { RunSummary } from '../run/run-stories.ts';
import type { StoryResult } from '../run/run-story.ts';
import { placeText } from '../story/story-file.ts';

/** Colours where the reader's terminal has them. */
export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  faint(text: string): string;
}

const esc = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[0m`;
export const plainPaint: Paint = { good: (text) => text, bad: (text) => text, faint: (text) => text };
export const colourPaint: Paint = { good: esc(32), bad: esc(31), faint: esc(2) };

const marks = { passed: '✓', failed: '✗', skipped: '-' };

/** `✓ A customer pays with chip and PIN (120 ms)` */
export function resultLine({ story, verdict, tookMs, reason, seed }: StoryResult, paint: Paint): string {
  const mark =
    verdict === 'passed'
      ? paint.good(marks.passed)
      : verdict === 'failed'
        ? paint.bad(marks.failed)
        : marks.skipped;
  const more = reason ?? `${tookMs} ms${verdict === 'failed' ? `, seed ${seed}` : ''}`;
  return `${mark} ${story.name} ${paint.faint(`(${more})`)}`;
}

/** Everything somebody needs to find out why a story failed. */
export function failureText({ story, failure, seed }: StoryResult, paint: Paint): string {
  if (!failure) return '';
  const indented = (text: string, by = '    ') => text.replaceAll(/^/gm, by);
  return [
    `${paint.bad('✗')} ${story.name}`,
    `  at ${placeText(failure.at)}`,
    ...(failure.step === '' ? [] : [paint.faint(indented(failure.step, '  | '))]),
    indented(failure.message),
    ...(failure.scene.length > 0 ? [paint.faint(indented(['', ...failure.scene].join('\n')))] : []),
    paint.faint(`    again: pinpad run ${story.file} --grep ${JSON.stringify(story.name)} --seed ${seed}`),
  ].join('\n');
}

/** The failures once more, then the numbers. */
export function summaryText({ results, notRun, tookMs }: RunSummary, paint: Paint): string {
  const of = (verdict: StoryResult['verdict']) => results.filter((result) => result.verdict === verdict);
  const failed = of('failed');
  const counts = [
    failed.length > 0 ? paint.bad(`${failed.length} failed`) : undefined,
    paint.good(`${of('passed').length} passed`),
    of('skipped').length > 0 ? `${of('skipped').length} skipped` : undefined,
    notRun > 0 ? `${notRun} not run` : undefined,
  ];
  return [
    '',
    ...failed.map((result) => `${failureText(result, paint)}\n`),
    `${counts.filter(Boolean).join(', ')} in ${(tookMs / 1000).toFixed(1)} s`,
  ].join('\n');
}

import { isoTime } from '../../shared/clock.ts';
import type { RunSummary } from '../run/run-stories.ts';
import type { StoryResult } from '../run/run-story.ts';
import { placeText } from '../story/story-file.ts';

/** The run as JUnit XML, in the form that CI servers read: a test suite for each file. */
export function junitXml({ results, tookMs }: RunSummary, at: number): string {
  const suites = Map.groupBy(results, ({ story }) => story.file);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="pinpad" ${counts(results)} time="${seconds(tookMs)}">`,
    ...[...suites].flatMap(([file, cases]) => suite(file, cases, at)),
    '</testsuites>',
    '',
  ].join('\n');
}

function suite(file: string, cases: readonly StoryResult[], at: number): string[] {
  const took = cases.reduce((sum, { tookMs }) => sum + tookMs, 0);
  const timestamp = isoTime(at).slice(0, 19);
  return [
    `  <testsuite name="${escaped(file)}" ${counts(cases)} skipped="${skipped(cases)}" time="${seconds(took)}" timestamp="${timestamp}" hostname="localhost">`,
    ...cases.flatMap(testcase),
    '  </testsuite>',
  ];
}

function testcase({ story, verdict, failure, reason, tookMs }: StoryResult): string[] {
  const open = `    <testcase classname="${escaped(story.file)}" name="${escaped(story.name)}" time="${seconds(tookMs)}"`;
  if (verdict === 'passed') return [`${open}/>`];
  const inside = failure
    ? `      <failure type="failure" message="${escaped(failure.message.split('\n')[0] ?? '')}">${escaped(
        [placeText(failure.at), failure.step, failure.message, ...failure.scene].join('\n'),
      )}</failure>`
    : `      <skipped message="${escaped(reason ?? '')}"/>`;
  return [`${open}>`, inside, '    </testcase>'];
}

function counts(results: readonly StoryResult[]): string {
  const failures = results.filter(({ verdict }) => verdict === 'failed').length;
  return `tests="${results.length}" failures="${failures}" errors="0"`;
}

function skipped(results: readonly StoryResult[]): number {
  return results.filter(({ verdict }) => verdict === 'skipped').length;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** XML 1.0 has no control characters at all but tab and the ends of lines. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');
}

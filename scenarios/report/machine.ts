import type { RunSummary } from '../run/run-stories.ts';
import type { StoryResult } from '../run/run-story.ts';

/** The run for programs: one object a story, with the failure as it was told. */
export function jsonReport({ results, notRun, tookMs }: RunSummary): object {
  return {
    passed: results.filter(({ verdict }) => verdict === 'passed').length,
    failed: results.filter(({ verdict }) => verdict === 'failed').length,
    skipped: results.filter(({ verdict }) => verdict === 'skipped').length,
    notRun,
    tookMs,
    stories: results.map(({ story, seed, verdict, reason, failure, tookMs: took }) => ({
      file: story.file,
      line: story.at.line,
      name: story.name,
      tags: story.tags,
      seed,
      verdict,
      ...(reason === undefined ? {} : { reason }),
      ...(failure === undefined ? {} : { failure }),
      tookMs: took,
    })),
  };
}

/** A failure as GitHub shows it beside the line of the story (workflow commands). */
export function githubAnnotation({ story, failure }: StoryResult): string {
  if (!failure) return '';
  const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const { file, line, column } = failure.at;
  return `::error file=${property(file)},line=${line},col=${column},title=${property(story.name)}::${data(failure.message)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

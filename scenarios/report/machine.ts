import { findingsText } from '../lint/findings-text.ts';
import type { RunSummary } from '../run/run-stories.ts';
import type { StoryResult } from '../run/run-story.ts';
import type { Place } from '../story/story-file.ts';

/** The run for programs: one object a story, with the failure as it was told. */
export function jsonReport({ results, notRun, tookMs, pointOfSale }: RunSummary): object {
  return {
    passed: results.filter(({ verdict }) => verdict === 'passed').length,
    failed: results.filter(({ verdict }) => verdict === 'failed').length,
    skipped: results.filter(({ verdict }) => verdict === 'skipped').length,
    notRun,
    tookMs,
    stories: results.map(({ story, seed, verdict, reason, failure, tookMs: took, findings, trace }) => ({
      file: story.file,
      line: story.at.line,
      name: story.name,
      tags: story.tags,
      seed,
      verdict,
      ...(reason === undefined ? {} : { reason }),
      ...(failure === undefined ? {} : { failure }),
      tookMs: took,
      findings,
      ...(trace === undefined ? {} : { trace }),
    })),
    ...(pointOfSale === undefined ? {} : { pointOfSale }),
  };
}

/**
 * What GitHub shows beside the lines of a story (workflow commands): its failure, and one warning with all that its
 * till does wrong, as GitHub shows only ten of them.
 */
export function githubAnnotations({ story, failure, findings }: StoryResult): string[] {
  const told: string[] = [];
  if (failure) told.push(annotation('error', failure.at, story.name, failure.message));
  if (findings.length > 0)
    told.push(annotation('warning', story.at, `The till of: ${story.name}`, findingsText(findings)));
  return told;
}

function annotation(level: string, { file, line, column }: Place, title: string, text: string): string {
  const property = (value: string) => data(value).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${level} file=${property(file)},line=${line},col=${column},title=${property(title)}::${data(text)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

import { systemClock } from '../../shared/clock.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { type Finding, lintJournal } from '../lint/lint-journal.ts';
import { ownBackstage } from '../stage/own-stage.ts';
import type { Backstage } from '../stage/stage.ts';
import { type Story, stepsOf } from '../story/load-story.ts';
import { configOfNeeds, terminalNames } from '../story/stage-of-needs.ts';
import { playStory, type StepListener, type StoryFailure } from './play-story.ts';

/** What became of a story. */
export interface StoryResult {
  readonly story: Story;
  readonly seed: number;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  /** Why it was skipped. */
  readonly reason?: string;
  readonly failure?: StoryFailure;
  /** Real time it took. */
  readonly tookMs: number;
  readonly journal: readonly JournalEntry[];
  /** What the story's till does that goes wrong in the field (docs/lint.md). */
  readonly findings: readonly Finding[];
  /** The file of stored expectations, where it was written. */
  readonly written?: string;
  /** The file of its trace, where one was written. */
  readonly trace?: string;
}

export interface StoryRunOptions {
  seed?: number;
  /** Stores what the story sees in the place of what was stored. */
  update?: boolean;
  onStep?: StepListener;
  /** Real milliseconds per step of virtual time, for people who watch. */
  showMs?: (virtualMs: number) => number;
  /** Called with the stage before the first step. */
  onStage?: (backstage: Backstage) => Promise<void> | void;
  /** Called with the failure, if there is one, while the stage still stands. */
  onEnd?: (failure: StoryFailure | undefined) => Promise<void> | void;
}

/** Plays a story on a stack of its own in this process, in virtual time. */
export async function runStory(story: Story, options: StoryRunOptions = {}): Promise<StoryResult> {
  const ownSeed = story.needs.seed ?? 1;
  const seed = options.seed ?? ownSeed;
  const startedAt = systemClock.now();
  const backstage = await ownBackstage(
    { ...configOfNeeds(story.needs, seed), ...(options.showMs ? { pacing: 'natural' as const } : {}) },
    {
      terminalNames: terminalNames(story.needs),
      keepsData: stepsOf(story.steps).some((step) => 'verb' in step && step.verb.name === 'restart gateway'),
      ...(options.showMs ? { showMs: options.showMs } : {}),
    },
  );
  try {
    await options.onStage?.(backstage);
    const stored = options.update ? 'update' : seed === ownSeed ? 'compare' : 'ignore';
    const { failure, journal, written } = await playStory(story, backstage, { ...options, stored });
    await options.onEnd?.(failure);
    const tookMs = systemClock.now() - startedAt;
    return {
      story,
      seed,
      verdict: failure ? 'failed' : 'passed',
      tookMs,
      journal,
      findings: findingsOf(journal, backstage),
      ...(written === undefined ? {} : { written }),
      ...(failure ? { failure } : {}),
    };
  } finally {
    await backstage.close();
  }
}

/** Of the story's own till: it is over, so what it has not done it does no more. */
export function findingsOf(journal: readonly JournalEntry[], { prefix }: Backstage): Finding[] {
  return lintJournal(journal, { ignore: (requestId) => !requestId.startsWith(prefix) });
}

import { delay, systemClock } from '../../shared/clock.ts';
import type { Finding } from '../lint/lint-journal.ts';
import type { Story } from '../story/load-story.ts';
import type { StoryResult } from './run-story.ts';

export interface RunListener {
  started?(story: Story): void;
  ended?(result: StoryResult): void;
}

export interface RunOptions extends RunListener {
  /** Stories played at the same time; each has a stack of its own. */
  workers: number;
  /** Every story so many times, each time with the next seed. */
  repeat?: number;
  seed?: number;
  /** No further story is begun after so many have failed. */
  bail?: number;
  /** Aborted, no further story is begun, and those under way are given a moment to end. */
  signal?: AbortSignal;
  play(story: Story, seed: number | undefined): Promise<StoryResult>;
}

/** What became of a run. */
export interface RunSummary {
  /** In the order of the stories, not of their ends. */
  readonly results: readonly StoryResult[];
  /** Not begun, because the run was ended early. */
  readonly notRun: number;
  readonly tookMs: number;
  /** What others did on the gateway meanwhile, where the stories were played on one that runs elsewhere. */
  readonly pointOfSale?: readonly Finding[];
}

/** Stories that are under way in virtual time end within this. */
const graceMs = 2_000;

/** Plays stories, several at a time. */
export async function runStories(stories: readonly Story[], options: RunOptions): Promise<RunSummary> {
  const { workers, repeat = 1, seed, bail = Number.POSITIVE_INFINITY, signal } = options;
  const startedAt = systemClock.now();
  const jobs = Array.from({ length: repeat }, (_, round) =>
    stories.map((story) => ({
      story,
      seed: repeat === 1 ? seed : (seed ?? story.needs.seed ?? 1) + round,
    })),
  ).flat();
  const results: (StoryResult | undefined)[] = jobs.map(() => undefined);
  let next = 0;
  let failed = 0;
  const work = async () => {
    while (next < jobs.length && failed < bail && !signal?.aborted) {
      const index = next++;
      const job = jobs[index];
      if (!job) return;
      options.started?.(job.story);
      const result = await played(job, options);
      results[index] = result;
      if (result.verdict === 'failed') failed++;
      options.ended?.(result);
    }
  };
  const all = Promise.all(Array.from({ length: Math.min(workers, jobs.length) }, work));
  await (signal ? Promise.race([all, graceAfter(signal)]) : all);
  const done = results.filter((result) => result !== undefined);
  return { results: done, notRun: jobs.length - done.length, tookMs: systemClock.now() - startedAt };
}

function graceAfter(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => void delay(systemClock, graceMs).then(resolve), { once: true });
  });
}

/** A stage that cannot be set up fails its story, not the run. */
async function played(
  { story, seed }: { story: Story; seed: number | undefined },
  { play }: RunOptions,
): Promise<StoryResult> {
  const startedAt = systemClock.now();
  try {
    return await play(story, seed);
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return {
      story,
      seed: seed ?? 1,
      verdict: 'failed',
      failure: { at: story.at, step: '', message: `the stage cannot be set up: ${message}`, scene: [] },
      tookMs: systemClock.now() - startedAt,
      journal: [],
      findings: [],
    };
  }
}

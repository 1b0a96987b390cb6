import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import type { StoryResult, StoryRunOptions } from '../run/run-story.ts';
import type { Backstage } from '../stage/stage.ts';
import { renderTrace, type TraceStep } from './render-trace.ts';

/** Notes which step was played when, beside whatever a run does anyway. */
export class StoryTracer {
  #backstage: Backstage | undefined;
  #steps: TraceStep[] = [];
  #seq = 0;

  /** The options of a run that is traced. */
  traced(options: StoryRunOptions): StoryRunOptions {
    return {
      ...options,
      onStage: async (backstage) => {
        this.#backstage = backstage;
        await options.onStage?.(backstage);
      },
      onStep: async (step) => {
        this.#seq = (await this.#backstage?.journalSince(this.#seq))?.at(-1)?.seq ?? this.#seq;
        this.#steps.push({ text: step.text, at: step.at, seq: this.#seq });
        await options.onStep?.(step);
      },
    };
  }

  /** Writes the trace of the story that was played below a folder; returns the file. */
  write(result: StoryResult, folder: string): string {
    const { story, failure, journal, findings } = result;
    const file = join(folder, traceFile(result));
    mkdirSync(dirname(file), { recursive: true });
    const title = `${story.name}: ${result.verdict}`;
    writeFileSync(file, renderTrace({ title, entries: journal, steps: this.#steps, failure, findings }));
    return file;
  }
}

/** In the folders that the story's file is in, so that no two stories, rows or seeds have the same one. */
function traceFile({ story, seed }: StoryResult): string {
  const { root, dir, name } = parse(story.file);
  const row = story.row === undefined ? [] : [`row-${story.row}`];
  return join(dir.slice(root.length), [name, ...row, slug(story.name), seed, 'html'].join('.'));
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60);
}

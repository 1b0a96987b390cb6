import type { JournalEntry } from '../../shared/journal.ts';
import { Disappointment } from '../expect/expect.ts';
import { describeEntry } from '../expect/record.ts';
import { describeScreen } from '../stage/hand.ts';
import { type Backstage, Stage, StageError } from '../stage/stage.ts';
import { type StoredMode, StoredValues } from '../stored/stored-values.ts';
import { usedNames } from '../stored/used-names.ts';
import type { Step, Story } from '../story/load-story.ts';
import { filled, placeholdersIn } from '../story/placeholders.ts';
import { webhooksOf } from '../story/stage-of-needs.ts';
import type { Place } from '../story/story-file.ts';
import { explainIssue } from '../story/story-file.ts';
import type { Cast } from '../story/verb.ts';
import { setFaults } from '../verbs/faults.ts';
import { castOf, playValues } from './cast.ts';

/** Why a story failed, at which step, and what was there instead. */
export interface StoryFailure {
  readonly at: Place;
  /** The step as it stands in the file. */
  readonly step: string;
  readonly message: string;
  /** What each terminal shows, and the last entries of the journal. */
  readonly scene: readonly string[];
}

/** What came of a play. */
export interface Played {
  readonly failure: StoryFailure | undefined;
  readonly journal: readonly JournalEntry[];
  /** The file of stored expectations, where it was written. */
  readonly written?: string;
}

/** Told of every step before it is played. */
export type StepListener = (step: Step) => Promise<void> | void;

class StepFailed extends Error {
  readonly step: Step;
  constructor(step: Step, cause: unknown) {
    super('a step failed', { cause });
    this.step = step;
  }
}

/**
 * Plays a story on a stage that is as the story needs it. Every step waits for what it needs; at the end nothing
 * may be left running.
 */
export async function playStory(
  story: Story,
  backstage: Backstage,
  options: { onStep?: StepListener; firstSeq?: number; stored?: StoredMode } = {},
): Promise<Played> {
  const stage = new Stage(backstage, { firstSeq: options.firstSeq ?? 0 });
  const stored = new StoredValues(story.file, options.stored ?? 'compare');
  const cast = { ...castOf(stage), stored };
  const play = new Play(cast, options.onStep);
  let failure: StoryFailure | undefined;
  try {
    for (const wish of webhooksOf(story.needs)) await cast.receivers.open(wish);
    await setFaults(cast.world, story.needs.faults);
    await stage.director.branch(() => play.act(story.steps));
  } catch (error) {
    failure = await failureOf(error, story, cast);
  }
  const journal = await stage.journal();
  await cast.receivers.close();
  const written = failure || options.stored !== 'update' ? undefined : stored.save(usedNames(story.file));
  return { failure, journal, ...(written === undefined ? {} : { written }) };
}

class Play {
  #cast: Cast;
  #onStep: StepListener | undefined;
  #beside: { done: boolean; error?: unknown; step: Step }[] = [];

  constructor(cast: Cast, onStep: StepListener | undefined) {
    this.#cast = cast;
    this.#onStep = onStep;
  }

  /** The story itself: its steps, then what still goes on beside them. */
  async act(steps: readonly Step[]): Promise<void> {
    await this.#steps(steps);
    const { director } = this.#cast.stage;
    for (const branch of this.#beside) {
      await director.until(() => (branch.done ? true : undefined), 600_000);
      if (branch.error) throw branch.error;
    }
  }

  async #steps(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      try {
        await this.#onStep?.(step);
        await this.#cast.stage.time.settled();
        await this.#step(step);
      } catch (error) {
        throw error instanceof StepFailed ? error : new StepFailed(step, error);
      }
    }
  }

  async #step(step: Step): Promise<void> {
    if ('together' in step) return this.#together(step.together.map(({ steps }) => steps));
    if ('meanwhile' in step) return this.#meanwhile(step, step.meanwhile);
    const fields = filled(step.fields, await playValues(this.#cast));
    const [unknown] = placeholdersIn(fields);
    if (unknown !== undefined) throw new StageError(notThere(unknown, this.#cast));
    const checked = step.verb.schema.safeParse(fields);
    if (!checked.success) throw new StageError(checked.error.issues.map(explainIssue).join('; '));
    await step.verb.play(this.#cast, checked.data);
  }

  async #together(branches: readonly (readonly Step[])[]): Promise<void> {
    const { director } = this.#cast.stage;
    let running = branches.length;
    const errors: unknown[] = [];
    for (const steps of branches) {
      void director
        .branch(() => this.#steps(steps))
        .catch((error) => errors.push(error))
        .finally(() => running--);
    }
    await director.until(() => (running === 0 || errors.length > 0 ? true : undefined), 600_000);
    if (errors.length > 0) throw errors[0];
  }

  #meanwhile(step: Step, steps: readonly Step[]): void {
    const branch: { done: boolean; error?: unknown; step: Step } = { done: false, step };
    this.#beside.push(branch);
    void this.#cast.stage.director
      .branch(() => this.#steps(steps))
      .catch((error) => {
        branch.error = error;
      })
      .finally(() => {
        branch.done = true;
      });
  }
}

function notThere(name: string, { pos, stage }: Cast): string {
  const requests = pos.sent.flatMap((sent) => sent.name ?? []);
  const terminals = stage.backstage.terminals.map((terminal) => `terminals.${terminal.name}`);
  return `<${name}> is not there; there are: ${[...requests, 'terminal', ...terminals].join(', ')}`;
}

async function failureOf(error: unknown, story: Story, { stage }: Cast): Promise<StoryFailure> {
  const failed = error instanceof StepFailed ? error : undefined;
  const cause = failed ? failed.cause : error;
  const known = cause instanceof StageError || cause instanceof Disappointment;
  const told =
    cause instanceof Error ? (known ? cause.message : (cause.stack ?? cause.message)) : String(cause);
  return {
    at: failed?.step.at ?? story.at,
    step: failed?.step.text ?? '',
    message: told,
    scene: await sceneOf(stage).catch((lost: Error) => [`nothing more can be told: ${lost.message}`]),
  };
}

async function sceneOf(stage: Stage): Promise<string[]> {
  const screens: string[] = [];
  for (const { poiId } of stage.backstage.terminals) {
    const { status, body } = await stage.control('GET', `/terminals/${poiId}/screen`);
    screens.push(describeScreen(poiId, status === 200 ? (body as never) : undefined));
  }
  const entries = (await stage.journal()).filter(({ kind }) => !kind.startsWith('message.')).slice(-8);
  return [...screens, ...entries.map(describeEntry)];
}

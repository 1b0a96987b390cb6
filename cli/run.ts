import { existsSync, watch as watchFiles, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import {
  type Backstage,
  colourPaint,
  findStories,
  githubAnnotation,
  jsonReport,
  junitXml,
  type Paint,
  plainPaint,
  type RunSummary,
  resultLine,
  runStories,
  runStory,
  runStoryElsewhere,
  type Step,
  type Story,
  StoryFault,
  type StoryResult,
  type StoryRunOptions,
  StoryTracer,
  summaryText,
} from '../scenarios/index.ts';
import { delay, systemClock } from '../shared/clock.ts';
import { StartError } from '../stack/index.ts';
import { canShowTui, runTui } from '../terminal-emulator/index.ts';
import { option, wholeNumber } from './options.ts';
import { tuiSource } from './tui-source.ts';

interface RunFlags {
  grep?: string;
  seed?: number;
  workers: number;
  repeat: number;
  bail?: number | true;
  watch?: boolean;
  slow?: boolean;
  tui?: boolean;
  trace?: 'on' | 'retain-on-failure';
  traces: string;
  junit?: string;
  json?: string;
  list?: boolean;
  gateway?: string;
  controlToken?: string;
}

export function runCommand(): Command {
  return new Command('run')
    .summary('play scenario files')
    .description(
      'Plays stories (docs/scenarios.md), each on a gateway and terminals of its own, in virtual time.\n' +
        'Without paths it plays the stories that come with pinpad.\n\n' +
        'Exit code: 0 all passed, 1 some failed, 2 nothing could be played.',
    )
    .argument('[paths...]', 'files, folders or globs')
    .addOption(
      option('--grep <text>', 'only stories whose name, file or tags have this in them (regular expression)'),
    )
    .addOption(
      option('--seed <number>', 'chooses identifiers; the same seed gives the same journal').argParser(
        wholeNumber(0, 2 ** 32 - 1),
      ),
    )
    .addOption(
      option('--workers <count>', 'stories at the same time').argParser(wholeNumber(1, 64)).default(4),
    )
    .addOption(
      option('--repeat <times>', 'every story so many times, each with the next seed')
        .argParser(wholeNumber(1, 100_000))
        .default(1),
    )
    .addOption(
      option('--bail [failures]', 'stop after so many failures (1)').argParser(wholeNumber(1, 100_000)),
    )
    .addOption(option('--watch', 'play again whenever a story changes'))
    .addOption(option('--slow', 'one after the other, at a pace one can follow, telling every step'))
    .addOption(option('--tui', 'show the terminals while the story plays; implies --slow'))
    .addOption(
      option('--trace <when>', 'write a page of each story that shows everything (docs/traces.md)').choices([
        'on',
        'retain-on-failure',
      ]),
    )
    .addOption(option('--traces <folder>', 'where traces are written').default('traces'))
    .addOption(option('--junit <file>', 'write a JUnit XML report'))
    .addOption(option('--json <file>', 'write a JSON report'))
    .addOption(
      option(
        '--gateway <url>',
        'play against a gateway that runs there, in real time, where a story allows it',
      ),
    )
    .addOption(option('--control-token <token>', 'of that gateway'))
    .addOption(option('--list', 'name the stories and do not play them'))
    .action(run);
}

async function run(paths: string[], flags: RunFlags): Promise<void> {
  const from = paths.length > 0 ? paths : [shippedStories()];
  const failed = await runOnce(from, flags);
  if (!flags.watch) {
    process.exitCode = failed ? 1 : 0;
    return;
  }
  for (;;) {
    console.log('\nWaiting for changes; Ctrl-C ends.');
    await somethingChanges(from);
    await runOnce(from, flags);
  }
}

/** Beside the sources, or one folder up from what was compiled. */
function shippedStories(): string {
  const places = ['..', '../..'].map((up) => join(import.meta.dirname, up, 'scenarios/stories'));
  return places.find((place) => existsSync(place)) ?? (places[0] as string);
}

async function runOnce(paths: readonly string[], flags: RunFlags): Promise<boolean> {
  const stories = selected(paths, flags);
  if (!stories) return true;
  if (flags.list) {
    for (const { file, at, name } of stories) console.log(`${file}:${at.line}  ${name}`);
    return false;
  }
  const paint = process.stdout.isTTY && !process.env.NO_COLOR ? colourPaint : plainPaint;
  const progress = new Progress(stories.length * flags.repeat, paint);
  const slowly = flags.slow || flags.tui;
  const summary = await runStories(stories, {
    workers: slowly ? 1 : flags.workers,
    repeat: flags.repeat,
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
    ...(flags.bail === undefined ? {} : { bail: flags.bail === true ? 1 : flags.bail }),
    play: (story, seed) =>
      played(story, flags, {
        ...(seed === undefined ? {} : { seed }),
        ...(slowly ? watched(story, flags) : {}),
      }),
    ended: (result) => {
      progress.line(resultLine(result, paint));
      if (process.env.GITHUB_ACTIONS && result.failure) console.log(githubAnnotation(result));
    },
  });
  progress.end();
  console.log(summaryText(summary, paint));
  writeReports(summary, flags);
  return summary.results.some(({ verdict }) => verdict === 'failed');
}

/** Plays a story, and leaves a trace of it where one is asked for. */
async function played(story: Story, flags: RunFlags, options: StoryRunOptions): Promise<StoryResult> {
  if (flags.gateway) {
    if (!flags.controlToken)
      throw new StartError('--gateway needs --control-token, which that gateway printed');
    return runStoryElsewhere(story, { url: flags.gateway, controlToken: flags.controlToken });
  }
  if (!flags.trace) return runStory(story, options);
  const tracer = new StoryTracer();
  const result = await runStory(story, tracer.traced(options));
  if (flags.trace === 'on' || result.verdict === 'failed')
    console.error(`trace: ${tracer.write(result, flags.traces)}`);
  return result;
}

function selected(paths: readonly string[], { grep, watch }: RunFlags): Story[] | undefined {
  try {
    const pattern = new RegExp(grep ?? '', 'iu');
    const all = findStories(paths);
    const found = all.filter(({ name, file, tags }) =>
      [name, file, ...tags].some((text) => pattern.test(text)),
    );
    // A story's own name, as a failure gives it to paste, may hold signs that mean something else in a pattern.
    const named = found.length > 0 ? found : all.filter(({ name }) => name === grep);
    if (named.length === 0) throw new StartError(`--grep ${grep}: no story is called so`);
    return named;
  } catch (error) {
    const told = error instanceof StoryFault ? new StartError(`\n${error.message}`) : error;
    if (!watch || !(told instanceof StartError))
      throw told instanceof SyntaxError ? new StartError(told.message) : told;
    console.error(`pinpad: ${told.message}`);
    return undefined;
  }
}

function writeReports(summary: RunSummary, { junit, json }: RunFlags): void {
  if (junit) writeFileSync(junit, junitXml(summary, systemClock.now()));
  if (json) writeFileSync(json, `${JSON.stringify(jsonReport(summary), null, 2)}\n`);
}

/** At a pace one can follow: every step is told, or seen on the terminals. */
function watched(story: Story, { tui }: RunFlags): StoryRunOptions {
  const tell = async (step: Step) => {
    if (!tui) console.log(step.text.replaceAll(/^/gm, '    '));
    await delay(systemClock, 900);
  };
  if (!tui) console.log(`\n${story.name}\n${story.description.replaceAll(/^/gm, '  ')}`);
  const show = ({ stack }: Backstage) => {
    if (!stack?.emulator) return;
    if (!canShowTui(process.stdin, process.stdout, process.env))
      throw new StartError('--tui needs a terminal window; --slow tells every step without one');
    void runTui(tuiSource(stack, stack.emulator)).then(() => process.exit(130));
  };
  return {
    onStep: tell,
    showMs: (virtualMs) => Math.min(1500, virtualMs),
    ...(tui ? { onStage: show } : {}),
  };
}

/** Lines as they come; in a terminal window with a count below them. */
class Progress {
  #done = 0;
  #all: number;
  #live: boolean;
  #paint: Paint;

  constructor(all: number, paint: Paint) {
    this.#all = all;
    this.#paint = paint;
    this.#live = process.stdout.isTTY === true;
  }

  line(text: string): void {
    this.#done++;
    if (this.#live) process.stdout.write('\r\u001b[K');
    console.log(text);
    if (this.#live) process.stdout.write(this.#paint.faint(`${this.#done} of ${this.#all}`));
  }

  end(): void {
    if (this.#live) process.stdout.write('\r\u001b[K');
  }
}

function somethingChanges(paths: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const folders = [
      ...new Set(
        paths.map((path) => (/\.ya?ml$|[*{]/.test(path) ? dirname(path).split('*')[0] || '.' : path)),
      ),
    ];
    const watchers = folders.map((folder) =>
      watchFiles(folder, { recursive: true }, () => {
        for (const watcher of watchers) watcher.close();
        resolve();
      }),
    );
  });
}

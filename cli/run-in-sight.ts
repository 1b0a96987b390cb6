import type { Backstage, Step, Story, StoryResult, StoryRunOptions } from '../scenarios/index.ts';
import { delay, systemClock } from '../shared/clock.ts';
import { StartError } from '../stack/index.ts';
import { canShowTui, runTui } from '../terminal-emulator/index.ts';
import { tuiSource } from './tui-source.ts';

/** Between two steps, and at most for one stretch of virtual time: as long as a person needs to see it. */
const [stepMs, longestMs] = [900, 1500];

/** A story at a pace one can follow. Once `hurry` aborts, what is left of it goes as fast as it can. */
function slowly(hurry: AbortSignal, tell: (step: Step) => void): StoryRunOptions {
  return {
    onStep: async (step) => {
      if (hurry.aborted) return;
      tell(step);
      await delay(systemClock, stepMs, hurry).catch(() => {});
    },
    showMs: (virtualMs) => (hurry.aborted ? 0 : Math.min(longestMs, virtualMs)),
  };
}

/** Every step is told in a line before it is played. */
export function toldSlowly(story: Story, print: (text: string) => void, hurry: AbortSignal): StoryRunOptions {
  print(`\n${story.name}${story.description && `\n${indented(story.description, '  ')}`}`);
  return slowly(hurry, (step) => print(indented(step.text, '    ')));
}

/** @throws StartError where there is no window to show terminals in */
export function needsWindow(): void {
  if (!canShowTui(process.stdin, process.stdout, process.env))
    throw new StartError('--tui needs a terminal window; --slow tells every step without one');
}

/**
 * Plays with the terminals on the screen, which says the step under way; the window is given back afterwards.
 * Whoever leaves the screen calls `quit`.
 */
export async function playedOnScreen(
  story: Story,
  play: (options: StoryRunOptions) => Promise<StoryResult>,
  { hurry, quit }: { hurry: AbortSignal; quit: () => void },
): Promise<StoryResult> {
  const over = new AbortController();
  let screen: Promise<void> | undefined;
  let tell = (_line: string) => {};
  const show = ({ stack }: Backstage) => {
    if (!stack?.emulator) return;
    const onNews = (listener: (line: string) => void) => {
      tell = listener;
      tell(story.name);
      return () => {};
    };
    screen = runTui({ ...tuiSource(stack, stack.emulator), onNews }, { signal: over.signal }).then(() => {
      if (!over.signal.aborted) quit();
    });
  };
  const lineOf = (text: string) => tell(`${story.name}: ${text.split('\n')[0]}`);
  try {
    return await play({
      ...slowly(hurry, (step) => lineOf(step.text)),
      onStage: show,
      onEnd: async (failure) => {
        lineOf(failure ? `failed: ${failure.message}` : 'passed');
        await delay(systemClock, longestMs, hurry).catch(() => {});
      },
    });
  } finally {
    over.abort();
    await screen;
  }
}

function indented(text: string, by: string): string {
  return text.replaceAll(/^/gm, by);
}

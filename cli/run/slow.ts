import type {
  Scenario,
  ScenarioResult,
  ScenarioRunOptions,
  ScenarioStep,
  TestEnvironment,
} from '../../scenarios/index.ts';
import { delay, systemClock } from '../../shared/clock.ts';
import { StartError } from '../../stack/index.ts';
import { canShowTui, runTui } from '../../terminal-emulator/index.ts';
import { makeTuiSource } from '../tui-source.ts';

/**
 * `stepMs` is the real pause between two steps. A stretch of virtual time takes at most `longestMs` of real time.
 * Both are in milliseconds, and long enough for a person to see what happens.
 */
const [stepMs, longestMs] = [900, 1500];

/**
 * Returns options that run a scenario at a pace that a person can follow. When `hurry` aborts, the rest of the scenario
 * runs at full speed.
 */
function slowly(hurry: AbortSignal, notify: (step: ScenarioStep) => void): ScenarioRunOptions {
  return {
    onStep: async (step) => {
      if (hurry.aborted) return;
      notify(step);
      await delay(systemClock, stepMs, hurry).catch(() => {});
    },
    showMs: (virtualMs) => (hurry.aborted ? 0 : Math.min(longestMs, virtualMs)),
  };
}

/**
 * Returns options that print each step before the step runs, and that run the scenario at a pace that a person can
 * follow.
 */
export function makeSlowRunOptions(
  scenario: Scenario,
  print: (text: string) => void,
  hurry: AbortSignal,
): ScenarioRunOptions {
  print(`\n${scenario.name}${scenario.description && `\n${indented(scenario.description, '  ')}`}`);
  return slowly(hurry, (step) => print(indented(step.text, '    ')));
}

/** @throws StartError if there is no window in which terminals can be shown */
export function requireTuiWindow(): void {
  if (!canShowTui(process.stdin, process.stdout, process.env))
    throw new StartError('--tui needs a terminal window; --slow prints every step without a window');
}

/**
 * Runs a scenario, and shows its terminals and the current step on the screen. Restores the window afterwards. Calls
 * `quit` if the user leaves the screen.
 */
export async function runScenarioInTui(
  scenario: Scenario,
  run: (options: ScenarioRunOptions) => Promise<ScenarioResult>,
  { hurry, quit }: { hurry: AbortSignal; quit: () => void },
): Promise<ScenarioResult> {
  const over = new AbortController();
  let screen: Promise<void> | undefined;
  let notify = (_line: string) => {};
  const show = ({ stack }: TestEnvironment) => {
    if (!stack?.emulator) return;
    const onMessage = (listener: (line: string) => void) => {
      notify = listener;
      notify(scenario.name);
      return () => {};
    };
    const options = { clock: stack.runtime.realClock, signal: over.signal };
    const source = makeTuiSource(stack, stack.emulator);
    const facts = { ...source.facts, scripted: true };
    screen = runTui({ ...source, facts, onMessage }, options).then(() => {
      if (!over.signal.aborted) quit();
    });
    screen.catch(() => {}); // the error is thrown below, after the run has ended
  };
  const lineOf = (text: string) => notify(`${scenario.name}: ${text.split('\n')[0]}`);
  try {
    return await run({
      ...slowly(hurry, (step) => lineOf(step.text)),
      onStart: show,
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

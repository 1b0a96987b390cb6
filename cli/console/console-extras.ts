import { mayRetryImport } from '../../shared/may-retry-import.ts';
import { memoize } from '../../shared/memoize.ts';
import type { ConsoleExtras, Stack } from '../../stack/index.ts';
import { readGatewayEnvironment } from '../record/recorded-environment.ts';
import { GatewayRecording } from '../record/recording.ts';
import { makeConsoleLastExploration } from './explorations.ts';

/**
 * Makes the parts of the console that need code from outside of the gateway: lint, recordings and runs. Scenarios are
 * loaded when they are first needed.
 */
export function makeConsoleExtras(stack: () => Stack | undefined, load = loadScenarios): ConsoleExtras {
  const loaded = memoize(load);
  /** Makes a recording. When it ends, the recorded scenario becomes the first in the list of scenarios. */
  const recordingOf = (started: Stack) => {
    const recording = new GatewayRecording(started);
    return {
      end: async () => {
        const text = await recording.end();
        // The recorded text is returned even if it cannot be saved, for example because the disk is full.
        await loaded()
          .then((scenarios) => scenarios.keep(text))
          .catch(() => {});
        return text;
      },
    };
  };
  return {
    findings: async (entries) => {
      const { lintWithSales } = await import('../../scenarios/index.ts');
      return lintWithSales(entries, { until: stack()?.runtime.clock.now() });
    },
    stepOf: async (entries, seq) => {
      const started = stack();
      if (!started) return undefined;
      const { makeStepTextAtSeq } = await import('../../scenarios/index.ts');
      return makeStepTextAtSeq(entries, seq, await readGatewayEnvironment(started));
    },
    record: () => {
      const started = stack();
      return started && recordingOf(started);
    },
    explorations: makeConsoleLastExploration(),
    scenarios: {
      list: async () => (await loaded()).list(),
      start: async (id) => (await loaded()).start(id),
      state: async (id, known, signal) => (await loaded()).state(id, known, signal),
      proceed: async (id, how) => (await loaded()).proceed(id, how),
    },
  };
}

/**
 * Loads the extras now if this version of Node must load all modules before clients connect
 * (shared/may-retry-import.ts).
 */
export async function preloadExtrasIfNeeded(): Promise<void> {
  if (!mayRetryImport())
    await Promise.all([import('../../scenarios/index.ts'), import('./console-scenarios.ts')]);
}

async function loadScenarios() {
  const { makeConsoleScenarioRuns } = await import('./console-scenarios.ts');
  return makeConsoleScenarioRuns();
}

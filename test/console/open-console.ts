import { onTestFinished } from 'vitest';
import { makeConsoleExtras } from '../../cli/console/console-extras.ts';
import { makeConsoleScenarioRuns } from '../../cli/console/console-scenarios.ts';
import { ScenarioFileLister } from '../../cli/console/scenario-files.ts';
import { ScenarioReader } from '../../cli/console/scenario-reader.ts';
import { type ConfigChanges, resolveConfig, type Stack, startStack } from '../../stack/index.ts';
import { StackHarness } from '../stack/stack-harness.ts';
import { openPage, type WatchedPage } from '../trace/browser.ts';

/** A console with a signed-in user, and the gateway and terminals that it shows. */
interface OpenedConsole extends WatchedPage {
  readonly harness: StackHarness;
}

/**
 * Reading all scenarios that come with pinpad takes longer than most tests. So all test files of a worker share one
 * reader.
 */
const reader = new ScenarioReader();
const files = new ScenarioFileLister(reader);

/**
 * Starts a stack as `pinpad up` does, but on a virtual clock. Opens the stack's console through the link that signs
 * a browser in.
 */
export async function openConsole(
  options: Parameters<typeof openPage>[1] = {},
  changes: ConfigChanges = {},
): Promise<OpenedConsole> {
  const config = resolveConfig(undefined, { port: 0, memory: true, clock: 'virtual', seed: 1, ...changes });
  let started: Stack | undefined;
  const extras = makeConsoleExtras(
    () => started,
    async () => makeConsoleScenarioRuns(reader, files),
  );
  started = await startStack(config, { terminals: true, console: extras });
  const harness = new StackHarness(started, config);
  onTestFinished(() => harness.close());
  await harness.settled();
  await harness.until('idle');
  const watched = await openPage(started.gateway.consoleLink() as string, options);
  await watched.page.getByRole('article').first().waitFor();
  return { ...watched, harness };
}

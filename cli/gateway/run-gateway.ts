import { findingsText } from '../../shared/lint/findings-text.ts';
import { createLog, logFinding, startLoggingJournal } from '../../shared/log.ts';
import {
  type Config,
  makeConfiguredRuntime,
  removeRunningNote,
  type Stack,
  type StackOptions,
  StartError,
  startStack,
  writeRunningNote,
} from '../../stack/index.ts';
import { makeConsoleExtras, preloadExtrasIfNeeded } from '../console/console-extras.ts';
import { handleStopSignals } from '../listen-for-stop.ts';
import { exposureWarning } from './ready.ts';

/**
 * Starts a stack, runs `whileRunning` until the stack is stopped, and drains the stack. `whileRunning` may itself call
 * `stop`, as the screen does on `q`.
 */
export async function runStackUntilStopped(
  config: Config,
  parts: StackOptions,
  whileRunning: (stack: Stack, stop: () => void) => Promise<void> | void,
): Promise<void> {
  const { stopped, stop, asked } = handleStopSignals();
  if (asked()) return;
  const runtime = parts.runtime ?? makeConfiguredRuntime(config);
  const log = createLog(config.logLevel);
  const stopLog = startLoggingJournal(runtime.journal, log); // warnings may come even while the stack starts
  let started: Stack | undefined;
  const extras = makeConsoleExtras(() => started);
  await preloadExtrasIfNeeded();
  const stack = await startStack(config, { ...parts, runtime, console: extras });
  started = stack;
  const { gateway } = stack;
  gateway.onFinding((finding) => logFinding(log, finding));
  const warning = exposureWarning(config.host);
  if (warning) console.error(warning);
  const forget = () => removeRunningNote(config.data);
  try {
    if (!config.memory) {
      // The note about the running gateway (`running.json`) is removed even if a second signal ends the process before
      // the gateway is closed.
      process.once('exit', forget);
      announce(config, stack);
    }
    if (!asked()) await whileRunning(stack, stop);
    await stopped;
    // The findings are read before the gateway cuts off open requests. Otherwise lint would count the cuts as mistakes
    // of the point of sale.
    const found = gateway.findings.end();
    if (config.lint === 'error' && found > 0) {
      process.exitCode = 1;
      // The log was silent while the screen filled the window, so the user has not seen the findings yet. They are
      // printed now.
      if (config.logLevel === 'silent') console.error(findingsText(gateway.findings.list()));
    }
  } finally {
    await stack.close();
    stopLog();
    if (!config.memory) forget();
  }
}

/**
 * @throws StartError if the note about the running gateway cannot be written, because without this note other commands
 * would not find the gateway
 */
function announce({ data }: Config, { url, controlToken, tokens, terminals }: Stack): void {
  const token = tokens[0]?.token ?? '';
  const known = terminals.map(({ poiId, identifier }) => ({ poiId, identifier }));
  try {
    writeRunningNote(data, { url, pid: process.pid, controlToken, token, terminals: known });
  } catch (error) {
    throw new StartError(`cannot write ${data}/running.json: ${(error as Error).message}`);
  }
}

import { createLog, logJournal } from '../../shared/log.ts';
import {
  type Config,
  removeRunning,
  runtimeOf,
  type Stack,
  type StackParts,
  startStack,
  writeRunning,
} from '../../stack/index.ts';
import { consoleExtras } from '../console/console-extras.ts';
import { stopRequested } from '../until-stopped.ts';
import { exposureWarning } from './ready.ts';

/**
 * Starts a stack, runs `whileRunning` until it is stopped, and drains. `whileRunning` may call `stop`
 * itself, as the screen does on `q`.
 */
export async function runGateway(
  config: Config,
  parts: StackParts,
  whileRunning: (stack: Stack, stop: () => void) => Promise<void> | void,
): Promise<void> {
  const { stopped, stop, asked } = stopRequested();
  if (asked()) return;
  const runtime = parts.runtime ?? runtimeOf(config);
  const stopLog = logJournal(runtime.journal, createLog(config.logLevel)); // the start may have warnings, too
  let started: Stack | undefined;
  const extras = consoleExtras(() => started);
  const stack = await startStack(config, { ...parts, runtime, console: extras });
  started = stack;
  const warning = exposureWarning(config.host);
  if (warning) console.error(warning);
  const forget = () => removeRunning(config.data);
  if (!config.memory) {
    process.once('exit', forget); // also where a second signal does not wait for the rest
    writeRunning(config.data, {
      url: stack.url,
      pid: process.pid,
      controlToken: stack.controlToken,
      token: stack.tokens[0]?.token ?? '',
      terminals: stack.terminals.map(({ poiId, identifier }) => ({ poiId, identifier })),
    });
  }
  try {
    if (!asked()) await whileRunning(stack, stop);
    await stopped;
  } finally {
    await stack.close();
    stopLog();
    if (!config.memory) forget();
  }
}

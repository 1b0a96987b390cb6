import { createLog, logJournal } from '../shared/log.ts';
import {
  type Config,
  removeRunning,
  type Stack,
  type StackParts,
  startStack,
  writeRunning,
} from '../stack/index.ts';
import { exposureWarning } from './ready.ts';
import { stopRequested } from './until-stopped.ts';

/**
 * Starts a stack, lets `whileRunning` show it until somebody stops it, and drains. `whileRunning` may call `stop`
 * itself, as the screen does on `q`.
 */
export async function runGateway(
  config: Config,
  parts: StackParts,
  whileRunning: (stack: Stack, stop: () => void) => Promise<void> | void,
): Promise<void> {
  const { stopped, stop, asked } = stopRequested();
  if (asked()) return;
  const stack = await startStack(config, parts);
  const stopLog = logJournal(stack.runtime.journal, createLog(config.logLevel));
  const warning = exposureWarning(config.host);
  if (warning) console.error(warning);
  if (!config.memory) {
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
    if (!config.memory) removeRunning(config.data);
  }
}

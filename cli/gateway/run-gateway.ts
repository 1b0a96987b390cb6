import { findingsText } from '../../shared/lint/findings-text.ts';
import { createLog, logFinding, logJournal } from '../../shared/log.ts';
import {
  type Config,
  removeRunningNote,
  runtimeOf,
  type Stack,
  type StackParts,
  StartError,
  startStack,
  writeRunningNote,
} from '../../stack/index.ts';
import { consoleExtras, loadExtras } from '../console/console-extras.ts';
import { listenForStop } from '../listen-for-stop.ts';
import { exposureWarning } from './ready.ts';

/**
 * Starts a stack, runs `whileRunning` until the stack is stopped, and drains the stack. `whileRunning` may itself call
 * `stop`, as the screen does on `q`.
 */
export async function runGateway(
  config: Config,
  parts: StackParts,
  whileRunning: (stack: Stack, stop: () => void) => Promise<void> | void,
): Promise<void> {
  const { stopped, stop, asked } = listenForStop();
  if (asked()) return;
  const runtime = parts.runtime ?? runtimeOf(config);
  const log = createLog(config.logLevel);
  const stopLog = logJournal(runtime.journal, log); // even the start may have warnings
  let started: Stack | undefined;
  const extras = consoleExtras(() => started);
  await loadExtras();
  const stack = await startStack(config, { ...parts, runtime, console: extras });
  started = stack;
  const { gateway } = stack;
  gateway.onFinding((finding) => logFinding(log, finding));
  const warning = exposureWarning(config.host);
  if (warning) console.error(warning);
  const forget = () => removeRunningNote(config.data);
  try {
    if (!config.memory) {
      process.once('exit', forget); // runs even if a second signal ends the process before the rest is done
      announce(config, stack);
    }
    if (!asked()) await whileRunning(stack, stop);
    await stopped;
    // The point of sale is judged before the gateway cuts off open requests, because those cuts are not the point of
    // sale's mistakes.
    const found = gateway.findings.end();
    if (config.lint === 'error' && found > 0) {
      process.exitCode = 1;
      // While the screen filled the window, the log was silent, so the findings are printed now.
      if (config.logLevel === 'silent') console.error(findingsText(gateway.findings.list()));
    }
  } finally {
    await stack.close();
    stopLog();
    if (!config.memory) forget();
  }
}

/**
 * @throws StartError if the note cannot be written, because commands that wait for a gateway would not find this one
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

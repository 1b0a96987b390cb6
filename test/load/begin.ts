import { pinpadCommand } from '../built-package.ts';
import { NodeProcess } from '../node-process.ts';

/** How a pinpad process is started. */
export interface Begun {
  /** All it says is appended there. */
  logFile: string;
  /** A first try is killed so long after it began, wherever it is in its start. */
  failedStartMs?: number | undefined;
  /** A module that it imports first. */
  preload?: string | undefined;
}

/** Starts a pinpad process; with a preloaded module from the sources, whose classes that changes: the package has its own. */
export async function begin<Ready>(
  command: readonly string[],
  { logFile, failedStartMs, preload }: Begun,
): Promise<NodeProcess<Ready>> {
  if (failedStartMs !== undefined) await NodeProcess.startAndKill(pinpadCommand(), command, failedStartMs);
  const script = preload === undefined ? pinpadCommand() : 'bin/pinpad.js';
  return NodeProcess.start<Ready>(script, command, {
    logFile,
    ...(preload === undefined ? {} : { preload }),
  });
}

import { pinpadCommand } from '../built-package.ts';
import { NodeProcess } from '../node-process.ts';

/** How a pinpad process is started. */
export interface PinpadProcessOptions {
  /** The file to which everything that the process prints is appended. */
  logFile: string;
  /**
   * If this is set, a first process is killed this many milliseconds after its start, and then another process is
   * started.
   */
  failedStartMs?: number | undefined;
  /** A module that the process imports first. */
  preload?: string | undefined;
}

/**
 * Starts a pinpad process. If a module is preloaded, the process runs from the sources and not from the package,
 * because the module changes classes of the sources.
 */
export async function startPinpadProcess<Ready>(
  command: readonly string[],
  { logFile, failedStartMs, preload }: PinpadProcessOptions,
): Promise<NodeProcess<Ready>> {
  if (failedStartMs !== undefined) await NodeProcess.startAndKill(pinpadCommand(), command, failedStartMs);
  const script = preload === undefined ? pinpadCommand() : 'bin/pinpad.js';
  return NodeProcess.start<Ready>(script, command, {
    logFile,
    ...(preload === undefined ? {} : { preload }),
  });
}

import { backstop } from '../shared/clock.ts';

/** Whoever stops a command has his prompt back within this. */
const exitLimitMs = 5_000;

/**
 * Resolves at the first SIGINT or SIGTERM. A second one, or a drain that takes too long, ends the process at once,
 * so that nobody has to reach for SIGKILL; what was acknowledged is on disk by then.
 */
export function stopRequested(): { stopped: Promise<NodeJS.Signals>; stop(): void } {
  let stop = (_signal: NodeJS.Signals) => {};
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    let asked = false;
    stop = (signal) => {
      if (asked) process.exit(130);
      asked = true;
      backstop(() => process.exit(), exitLimitMs);
      resolve(signal);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
  return { stopped, stop: () => stop('SIGINT') };
}

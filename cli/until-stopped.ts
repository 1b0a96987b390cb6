/**
 * Resolves at the first SIGINT or SIGTERM. A second one ends the process at once, so that nobody has to reach for
 * SIGKILL.
 */
export function stopRequested(): { stopped: Promise<NodeJS.Signals>; stop(): void } {
  let stop = (_signal: NodeJS.Signals) => {};
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    let asked = false;
    stop = (signal) => {
      if (asked) process.exit(130);
      asked = true;
      resolve(signal);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
  return { stopped, stop: () => stop('SIGINT') };
}

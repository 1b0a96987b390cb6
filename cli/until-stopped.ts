import { backstop, systemClock } from '../shared/clock.ts';

/** A stopped command returns to the prompt within this time. */
const exitLimitMs = 5_000;

/**
 * One request to stop may come more than once: npm passes on a signal that its whole process group, with this process, got.
 * A second Ctrl-C by a person, because the first did not help, comes later than this.
 */
const echoMs = 300;

/** Whether this process was asked to end. */
interface Stopping {
  readonly stopped: Promise<NodeJS.Signals>;
  /** Whether it was asked for already, as it may be while everything still starts. */
  asked(): boolean;
  stop(): void;
}

let stopping: Stopping | undefined;

/**
 * The first SIGINT, SIGTERM or, when the window is closed, SIGHUP from now on. A later SIGINT or SIGTERM, or a drain
 * that takes too long, ends the process at once, so that SIGKILL is not needed; what was acknowledged is on
 * disk already. There is one for the process, so that a command sees signals that came while it was loaded.
 */
export function stopRequested(): Stopping {
  stopping ??= handleSignals();
  return stopping;
}

function handleSignals(): Stopping {
  let askedAt: number | undefined;
  const { promise: stopped, resolve } = Promise.withResolvers<NodeJS.Signals>();
  const stop = (signal: NodeJS.Signals) => {
    if (askedAt !== undefined) {
      if (systemClock.monotonic() - askedAt >= echoMs) process.exit(130);
      return;
    }
    askedAt = systemClock.monotonic();
    backstop(() => process.exit(), exitLimitMs);
    resolve(signal);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // A window that is closed may say so more than once, and the screen that was in it ends, too.
  const unlessAsked = (signal: NodeJS.Signals) => {
    if (askedAt === undefined) stop(signal);
  };
  process.on('SIGHUP', unlessAsked);
  return { stopped, asked: () => askedAt !== undefined, stop: () => unlessAsked('SIGINT') };
}

import { startBackstopTimer, systemClock } from '../shared/clock.ts';

/** A stopped command returns to the prompt within this time. */
const exitLimitMs = 5_000;

/**
 * One request to stop may arrive more than once within this time: npm passes on a signal that its whole process group,
 * including this process, got already. A person who presses Ctrl-C again, because the first one did not help, takes
 * longer.
 */
const echoMs = 300;

/** A request to this process to end. */
interface Stopping {
  readonly stopped: Promise<NodeJS.Signals>;
  /** Aborts when `stopped` resolves. */
  readonly signal: AbortSignal;
  /** Whether the process was asked to end already, which may happen while it still starts. */
  asked(): boolean;
  stop(): void;
}

let stopping: Stopping | undefined;

/**
 * Waits from now on for the first SIGINT, SIGTERM or, when the window is closed, SIGHUP. A later SIGINT or SIGTERM, or
 * a drain that takes too long, ends the process at once, so that SIGKILL is not needed; everything that was
 * acknowledged is on disk already. The process has only one such object, so that a command sees signals that came while
 * it was loaded.
 */
export function listenForStop(): Stopping {
  stopping ??= handleSignals();
  return stopping;
}

function handleSignals(): Stopping {
  let askedAt: number | undefined;
  const { promise: stopped, resolve } = Promise.withResolvers<NodeJS.Signals>();
  const ending = new AbortController();
  const stop = (signal: NodeJS.Signals) => {
    if (askedAt !== undefined) {
      if (systemClock.monotonic() - askedAt >= echoMs) process.exit(130);
      return;
    }
    askedAt = systemClock.monotonic();
    startBackstopTimer(() => process.exit(), exitLimitMs);
    resolve(signal);
    ending.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // A window that closes may send the signal more than once, and the screen in it ends too.
  const unlessAsked = (signal: NodeJS.Signals) => {
    if (askedAt === undefined) stop(signal);
  };
  process.on('SIGHUP', unlessAsked);
  return {
    stopped,
    signal: ending.signal,
    asked: () => askedAt !== undefined,
    stop: () => unlessAsked('SIGINT'),
  };
}

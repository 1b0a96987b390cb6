import { startUnrefTimer, systemClock } from '../shared/clock.ts';

/** A stopped command returns to the prompt within this time. */
const exitLimitMs = 5_000;

/**
 * A single request to stop may arrive more than once within this time. If npm started this process, Ctrl-C sends a
 * signal to npm and to this process, and npm also passes its signal on to this process. A person takes longer than this
 * to press Ctrl-C a second time.
 */
const echoMs = 300;

/** Tells whether and when this process was asked to end. */
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
 * Listens from now on for SIGINT, SIGTERM and, when the window is closed, SIGHUP. The first of these signals asks the
 * process to end. A later SIGINT or SIGTERM, or a drain that takes too long, ends the process at once, so that SIGKILL
 * is not needed. No acknowledged data are lost, because they are on disk already. Every call returns the same object,
 * so that a command sees signals that came while the command was being loaded.
 */
export function handleStopSignals(): Stopping {
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
    startUnrefTimer(() => process.exit(), exitLimitMs);
    resolve(signal);
    ending.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // When a window closes, this process may get SIGHUP more than once, and the screen in the window calls `stop` too.
  // Only the first of these requests counts.
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

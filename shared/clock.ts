import { WallClock } from './wall-clock.ts';

/** A pending timer; opaque to its owner. */
export type TimerHandle = unknown;

/**
 * The only source of time in the program. XState actors take it as `createActor(machine, { clock })`.
 *
 * Times are milliseconds since the Unix epoch, durations are milliseconds.
 */
export interface Clock {
  readonly virtual: boolean;
  /**
   * The time of the wall clock, which the machine's user may change. Use it for times that are stored, sent or shown.
   */
  now(): number;
  /** The time of the monotonic clock, from an arbitrary zero. Use it for durations (B122). */
  monotonic(): number;
  /**
   * The milliseconds since `now()` returned this moment. They are right even if the wall clock was changed meanwhile.
   */
  elapsedSince(momentMs: number): number;
  /** Calls `run` after a delay, which the monotonic clock measures. */
  setTimeout(run: () => void, delayMs: number): TimerHandle;
  clearTimeout(timer: TimerHandle): void;
}

/** The longest delay of a timer in Node, in milliseconds. If the delay is longer, Node fires the timer at once. */
const longestTimerMs = 2 ** 31 - 1;

interface SystemTimer {
  timeout?: NodeJS.Timeout;
}

function arm(timer: SystemTimer, run: () => void, delayMs: number): SystemTimer {
  const rest = delayMs - longestTimerMs;
  timer.timeout =
    rest > 0 ? setTimeout(() => arm(timer, run, rest), longestTimerMs) : setTimeout(run, delayMs);
  return timer;
}

/** Makes a clock for real time. `wall` reads the wall clock. */
function realClock(wall: () => number = () => Date.now()): Clock {
  const monotonic = () => performance.now();
  const wallClock = new WallClock(wall, monotonic);
  let latest = Number.NaN;
  return {
    virtual: false,
    now() {
      // A payment asks for the time fifty times, mostly within one millisecond. So the wall clock is compared with the
      // monotonic clock only once in each millisecond. That is often enough to notice a change of the wall clock.
      if (wall() !== latest) latest = wallClock.now();
      return latest;
    },
    monotonic,
    elapsedSince: (momentMs) => wallClock.elapsedSince(momentMs),
    setTimeout: (run, delayMs) => arm({}, run, delayMs),
    clearTimeout: (timer) => clearTimeout((timer as SystemTimer | undefined)?.timeout),
  };
}

/** Real time. */
export const systemClock: Clock = realClock();

/**
 * Calls `run` after a delay in real time. The timer does not keep the process running, so the process may end before
 * the delay is over.
 */
export function startUnrefTimer(run: () => void, delayMs: number): void {
  setTimeout(run, delayMs).unref();
}

/** Starts to measure real time. The returned function gives the milliseconds since then. */
export function startRealStopwatch(): () => number {
  const startedAt = performance.now();
  return () => performance.now() - startedAt;
}

/** Returns a time as an ISO 8601 string in UTC with milliseconds, the form that nexo and the APIs use. */
export function isoTime(ms: number): string {
  if (latestIso.ms !== ms) latestIso = { ms, text: new Date(ms).toISOString() };
  return latestIso.text;
}

export function isoTimeOrNull(ms: number | null | undefined): string | null {
  return ms == null ? null : isoTime(ms);
}

/**
 * The latest moment that was written, and its text. The same moment is written many times: a payment's result contains
 * it five times.
 */
let latestIso = { ms: 0, text: new Date(0).toISOString() };

/**
 * Returns a promise that resolves after a delay on `clock`, and rejects with the signal's reason when the signal
 * aborts.
 */
export function delay(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clock.clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

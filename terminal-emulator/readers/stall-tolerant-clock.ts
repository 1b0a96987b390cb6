import type { Clock, TimerHandle } from '../../shared/clock.ts';

/** The number of parts of a wait. */
const parts = 5;
/** The most late parts that are waited again, so that a wait ends even on a machine that is always late. */
const mostLateParts = 10;

interface StallTolerantTimer {
  handle: TimerHandle;
}

/**
 * The clock for waits that end when bytes arrive. Timers run before the bytes that came meanwhile are read. So if a busy
 * machine or a long computation held the program up, a plain timer would give up on an answer that only has to be read.
 * This clock does not count time in which the program stood still: a wait is made of parts, and a part that ended late by
 * more than its own length is waited again, with the line read in between. On a machine that is not held up, the waits have
 * their usual length.
 */
export function stallTolerantClock(clock: Clock): Clock {
  const wait = (
    timer: StallTolerantTimer,
    run: () => void,
    partMs: number,
    left: number,
    late: number,
  ): void => {
    const begun = clock.monotonic();
    timer.handle = clock.setTimeout(() => {
      const heldUp = clock.monotonic() - begun > 2 * partMs && late < mostLateParts;
      if (heldUp) wait(timer, run, partMs, left, late + 1);
      else if (left > 1) wait(timer, run, partMs, left - 1, late);
      else run();
    }, partMs);
  };
  return {
    virtual: clock.virtual,
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    elapsedSince: (momentMs) => clock.elapsedSince(momentMs),
    setTimeout(run, delayMs) {
      const timer: StallTolerantTimer = { handle: undefined };
      wait(timer, run, delayMs / parts, parts, 0);
      return timer;
    },
    clearTimeout: (timer) => clock.clearTimeout((timer as StallTolerantTimer | undefined)?.handle),
  };
}

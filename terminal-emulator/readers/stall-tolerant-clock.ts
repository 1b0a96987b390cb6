import type { Clock, TimerHandle } from '../../shared/clock.ts';

/** A wait is made of so many parts, */
const parts = 5;
/** … of which so many may come late and are waited again: on a machine that is always late, a wait still ends. */
const mostLateParts = 10;

interface StallTolerantTimer {
  handle: TimerHandle;
}

/**
 * The clock for waits that end when bytes arrive. Timers run before the bytes that came meanwhile are read, so
 * when a busy machine or a long computation held the program up, a plain timer gives up on an answer that is
 * waiting to be read. Here time in which the program stood still does not count: a wait is made of parts, and a
 * part that ended late by more than its own length is waited again, with the line read in between. On a machine
 * in time, the waits are as long as ever.
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

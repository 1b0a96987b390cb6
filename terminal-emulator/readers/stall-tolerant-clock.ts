import type { Clock, TimerHandle } from '../../shared/clock.ts';

/** The number of equal parts into which a wait is divided. */
export const waitPartCount = 5;
/**
 * The maximum number of times that the clock repeats a part of a wait because the part ended late. Without a maximum, a
 * wait would never end on a machine that is always late.
 */
export const maxLateParts = 10;

interface StallTolerantTimer {
  handle: TimerHandle;
}

/**
 * A clock for the time limits within which bytes have to arrive. An event loop runs due timers before it reads the
 * bytes that arrived in the meantime. So after a long computation, or on a busy machine, a plain timer would end the
 * wait although the answer is already there. This clock does not count the time in which the program was held up. It
 * divides a wait into parts. If a part ends late by more than its own length, the clock repeats this part, so that the
 * program can first read the line. On a machine that is not busy, a wait has its usual length.
 */
export function makeStallTolerantClock(clock: Clock): Clock {
  const wait = (
    timer: StallTolerantTimer,
    run: () => void,
    partMs: number,
    left: number,
    late: number,
  ): void => {
    const begun = clock.monotonic();
    timer.handle = clock.setTimeout(() => {
      const heldUp = clock.monotonic() - begun > 2 * partMs && late < maxLateParts;
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
      wait(timer, run, delayMs / waitPartCount, waitPartCount, 0);
      return timer;
    },
    clearTimeout: (timer) => clock.clearTimeout((timer as StallTolerantTimer | undefined)?.handle),
  };
}

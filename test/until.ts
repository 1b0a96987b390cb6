import { setImmediate as turnEnd } from 'node:timers/promises';

/**
 * The time after which a wait fails. If something has not happened within this time, it never will, because even a
 * busy machine takes only a fraction of this time.
 */
const givenUpAfterMs = 60_000;

/**
 * Lets the event loop turn until a condition holds.
 * @param awaited the condition as a sentence, for the error message
 * @example await until('the fault is injected', () => journal('fault.injected').length > 0);
 */
export async function until(awaited: string, isSo: () => boolean): Promise<void> {
  const begunAt = performance.now();
  while (!isSo()) {
    if (performance.now() - begunAt > givenUpAfterMs) throw new Error(`waited in vain until ${awaited}`);
    await turnEnd();
  }
}

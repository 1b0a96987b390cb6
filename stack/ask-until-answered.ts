import { type Clock, delay } from '../shared/clock.ts';

const mostTries = 6;
const longestWaitMs = 30_000;

interface Asking {
  clock: Clock;
  signal?: AbortSignal;
  /**
   * Whether an error is a final answer. If so, the request is not sent again, because the answer would be the same.
   */
  isAnswer(error: unknown): boolean;
  /** Called before the request is sent again. `error` is the error of the last try. */
  onRecovery(error: unknown): void;
}

/**
 * Sends a request until there is an answer, but at most six times. The waits between the tries grow from 0.5 s to 8 s.
 * If an answer has `Retry-After`, the next wait is at least that long, up to 30 s.
 */
export async function askWithRetries<Answer>(ask: () => Promise<Answer>, asking: Asking): Promise<Answer> {
  const { clock, signal, isAnswer, onRecovery } = asking;
  for (let tried = 1; ; tried++) {
    try {
      return await ask();
    } catch (error) {
      if (tried === mostTries || signal?.aborted || isAnswer(error)) throw error;
      onRecovery(error);
      await delay(clock, Math.max(500 * 2 ** (tried - 1), wantedWaitMs(error)), signal);
    }
  }
}

function wantedWaitMs(error: unknown): number {
  const { retryAfter = 0 } = error as { retryAfter?: number };
  return Math.min(retryAfter * 1000, longestWaitMs);
}

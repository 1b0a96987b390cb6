import { type Clock, delay } from '../shared/clock.ts';

const mostTries = 6;
const longestWaitMs = 30_000;

interface Asking {
  clock: Clock;
  signal?: AbortSignal;
  /** Whether an error is the final answer, which would stay the same if the request were sent again. */
  isAnswer(error: unknown): boolean;
  /** Called before the request is sent again, with what came in place of an answer. */
  onRecovery(error: unknown): void;
}

/**
 * Sends a request until there is an answer, at most six times over a quarter of a minute. The waits grow, and each is
 * at least as long as a `Retry-After` demands, up to 30 s.
 */
export async function askUntilAnswered<Answer>(ask: () => Promise<Answer>, asking: Asking): Promise<Answer> {
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

import { ApiError } from '../client/api-client.ts';
import { type Clock, delay } from '../shared/clock.ts';

const dialAgainAfterMs = 1_000;

export interface Watching {
  clock: Clock;
  signal: AbortSignal;
  /** Called once for each time that the connection was lost, and is dialled again. */
  onLost(): void;
}

/**
 * Follows what a gateway, or several behind a balancer, sends until `signal` aborts: where a connection ends, with another.
 *
 * @throws what keeps the first connection from being opened, and what a gateway refuses
 */
export async function keepFollowing(
  follow: (opened: () => void) => Promise<void>,
  { clock, signal, onLost }: Watching,
): Promise<void> {
  let state: 'new' | 'open' | 'lost' = 'new';
  const opened = () => {
    state = 'open';
  };
  const isNew = () => state === 'new';
  while (!signal.aborted) {
    try {
      await follow(opened);
    } catch (error) {
      if (signal.aborted) return;
      if (isNew() || !isPassing(error)) throw error;
    }
    if (signal.aborted) return;
    if (state !== 'lost') onLost();
    state = 'lost';
    await delay(clock, dialAgainAfterMs, signal).catch(() => {});
  }
}

/** Whether a connection was broken or not made, or a balancer has no gateway for it at present. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 429;
  return error instanceof TypeError && error.cause !== undefined; // as the platform's fetch says so
}

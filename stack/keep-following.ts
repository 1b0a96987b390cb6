import { ApiError } from '../client/api-client.ts';
import { type Clock, delay } from '../shared/clock.ts';

const dialAgainAfterMs = 1_000;

export interface FollowOptions {
  clock: Clock;
  signal: AbortSignal;
  /** Called each time that the connection is lost, before it is opened again. */
  onLost(): void;
}

/**
 * Follows what a gateway, or several behind a balancer, sends until `signal` aborts. When a connection ends, a new one
 * is opened.
 *
 * @throws the error if the first connection cannot be opened, or if the gateway refuses one
 */
export async function keepFollowing(
  follow: (opened: () => void) => Promise<void>,
  { clock, signal, onLost }: FollowOptions,
): Promise<void> {
  let state: 'new' | 'open' | 'lost' = 'new';
  const opened = () => {
    state = 'open';
  };
  while (!signal.aborted) {
    try {
      await follow(opened);
    } catch (error) {
      if (signal.aborted) return;
      if (state === 'new' || !isPassing(error)) throw error;
    }
    if (signal.aborted) return;
    if (state !== 'lost') onLost();
    state = 'lost';
    await delay(clock, dialAgainAfterMs, signal).catch(() => {});
  }
}

/** Whether a connection was broken or could not be made, or a balancer has no gateway for it at present. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 429;
  // the form in which the platform's fetch reports a broken connection
  return error instanceof TypeError && error.cause !== undefined;
}

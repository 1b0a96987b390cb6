import { ApiError } from '../client/api-client.ts';
import { type Clock, delay } from '../shared/clock.ts';

const dialAgainAfterMs = 1_000;

export interface FollowOptions {
  clock: Clock;
  signal: AbortSignal;
  /** Called each time that an open connection is lost, before a new connection is opened. */
  onLost(): void;
}

/**
 * Reads a stream of a gateway, or of several gateways behind a balancer, until `signal` aborts. When the connection
 * ends, opens a new connection.
 *
 * @throws the error of a first connection that cannot be opened, or of a later connection that the gateway refuses
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

/**
 * Whether the connection may succeed later. That is so if the connection broke or could not be made, or if a balancer
 * has no gateway at present.
 */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 429;
  // `fetch` reports a broken connection in this form
  return error instanceof TypeError && error.cause !== undefined;
}

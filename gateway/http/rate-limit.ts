import type { Clock } from '../../shared/clock.ts';
import { ApiError } from './errors.ts';

/**
 * The limit on requests. There is no limit unless the configuration has one (B121). The requests with each API token
 * are counted separately. The control API has no limit.
 */
export interface RateLimit {
  /**
   * The maximum number of requests that may arrive at once. It is also the maximum average number of requests in a
   * period of `perSeconds`.
   */
  readonly requests: number;
  readonly perSeconds: number;
}

/**
 * Adds a request to the count that all gateways share. Resolves with the number of seconds that the client has to
 * wait, or with 0 if the limit is not reached.
 */
export type SharedRequestCounter = (key: string, limit: RateLimit) => Promise<number>;

interface Bucket {
  left: number;
  filledAt: number;
}

/**
 * Limits requests by a token bucket for each key. The monotonic clock determines when the buckets are refilled. If this
 * gateway refuses a request, the request is not counted in the database. So a flood of requests does not reach the
 * database.
 */
export class RateLimiter {
  #clock: Clock;
  #limit: RateLimit;
  #together: SharedRequestCounter | undefined;
  #perMs: number;
  #burst: number;
  #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, limit: RateLimit, together?: SharedRequestCounter) {
    this.#clock = clock;
    this.#limit = limit;
    this.#together = together;
    this.#perMs = limit.requests / limit.perSeconds / 1000;
    this.#burst = limit.requests;
  }

  /** @throws ApiError `rateLimited`, with the seconds to wait in Retry-After */
  async take(key: string): Promise<void> {
    const waitSeconds = this.#takeHere(key) || (await this.#together?.(key, this.#limit));
    if (!waitSeconds) return;
    const headers = { 'Retry-After': String(Math.max(1, Math.ceil(waitSeconds))) };
    throw new ApiError('rateLimited', { headers });
  }

  /** Counts a request at this gateway. Returns the seconds that the client has to wait, or 0. */
  #takeHere(key: string): number {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(key) ?? { left: this.#burst, filledAt: now };
    this.#buckets.set(key, bucket);
    bucket.left = Math.min(this.#burst, bucket.left + (now - bucket.filledAt) * this.#perMs);
    bucket.filledAt = now;
    if (bucket.left < 1) return (1 - bucket.left) / this.#perMs / 1000;
    bucket.left--;
    return 0;
  }
}

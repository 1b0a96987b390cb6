import type { Clock } from '../../shared/clock.ts';
import { ApiError } from './errors.ts';

/** Off unless configured (B121). Each API token has a bucket of its own; the control API has no limit. */
export interface RateLimit {
  /** So many may come at once, and so many in every `perSeconds` in the long run. */
  readonly requests: number;
  readonly perSeconds: number;
}

interface Bucket {
  left: number;
  filledAt: number;
}

/** A token bucket for each key, filled by the monotonic clock. */
export class RateLimiter {
  #clock: Clock;
  #perMs: number;
  #burst: number;
  #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, limit: RateLimit) {
    this.#clock = clock;
    this.#perMs = limit.requests / limit.perSeconds / 1000;
    this.#burst = limit.requests;
  }

  /** @throws ApiError `rateLimited`, with the seconds to wait in Retry-After. */
  take(key: string): void {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(key) ?? { left: this.#burst, filledAt: now };
    this.#buckets.set(key, bucket);
    bucket.left = Math.min(this.#burst, bucket.left + (now - bucket.filledAt) * this.#perMs);
    bucket.filledAt = now;
    if (bucket.left < 1) {
      const waitSeconds = Math.max(1, Math.ceil((1 - bucket.left) / this.#perMs / 1000));
      throw new ApiError('rateLimited', { headers: { 'Retry-After': String(waitSeconds) } });
    }
    bucket.left--;
  }
}

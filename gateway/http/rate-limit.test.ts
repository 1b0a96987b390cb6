import { expect, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { RateLimiter } from './rate-limit.ts';

test.each([
  ['back', -3_600_000],
  ['forward', 3_600_000],
])('a wall clock that is set %s does not change how long clients wait (B122)', async (_, byMs) => {
  const clock = new VirtualClock({ startMs: 1_000_000_000 });
  const limiter = new RateLimiter(clock, { requests: 2, perSeconds: 10 });
  await limiter.take('token');
  await limiter.take('token');
  clock.setWallClock(byMs);
  const refused = { code: 'rateLimited', headers: { 'Retry-After': '5' } };
  await expect(limiter.take('token')).rejects.toThrow(expect.objectContaining(refused));
  await clock.advance(5_000);
  await limiter.take('token');
  await expect(limiter.take('token')).rejects.toThrow(expect.objectContaining(refused));
});

import { expect, test } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import { Lease } from './lease.ts';

/**
 * Makes a lease that this gateway holds. Each search for work ends when the test resolves its promise in `searches`.
 */
function heldLease() {
  const searches: PromiseWithResolvers<void>[] = [];
  const lease = new Lease({
    name: 'deliveries',
    lastsMs: 3_600_000,
    clock: systemClock,
    work: {
      sweep: () => {
        const search = Promise.withResolvers<void>();
        searches.push(search);
        return search.promise;
      },
      forget: () => {},
    },
    failed: () => {},
    worked: () => {},
    publish: () => {},
  });
  lease.granted(1, systemClock.monotonic());
  return { lease, searches };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test.each([0, 1, 2, 3, 4, 5, 6])(
  'new work is searched for even if it is announced %i microtasks after the end of a search',
  async (microtasks) => {
    const { lease, searches } = heldLease();
    void lease.sweep();
    searches[0]?.resolve();
    for (let passed = 0; passed < microtasks; passed++) await undefined;
    lease.tell();
    await turn();
    expect(searches).toHaveLength(2);
    searches[1]?.resolve();
    await turn();
    expect(lease.swept).toBeUndefined();
  },
);

test('a lease that is lost during a search makes no further search, and can search again later', async () => {
  const { lease, searches } = heldLease();
  const swept = lease.sweep();
  lease.tell();
  lease.lose();
  searches[0]?.resolve();
  await swept;
  await lease.sweep();
  expect(searches).toHaveLength(1);
  lease.granted(2, systemClock.monotonic());
  void lease.sweep();
  expect(searches).toHaveLength(2);
});

import { expect, onTestFinished } from 'vitest';
import { CardBed, day, minute } from '../gateway/saved-cards/card-bed.fixture.ts';
import { SmallDisk, testWithMounts } from './small-disk.ts';

/** A disk that is really full, ENOSPC and all, for a moment at which everything falls due (decision 64). */
testWithMounts()('what falls due while the disk is full is done once there is room again', async () => {
  const disk = SmallDisk.mount();
  onTestFinished(() => disk.unmount());
  const bed = await CardBed.start({ folder: disk.folder });
  onTestFinished(() => bed.stop());
  const paid = await bed.paid(10);
  const held = (await bed.preauthorize(20)).body.debit_id;
  await bed.clock.advance(7 * day - minute);
  await bed.refund(paid, 4);

  disk.fill();
  const refused = await bed.charge(5);
  expect({ status: refused.status, error: refused.body.error }).toEqual({
    status: 503,
    error: 'unavailable',
  });
  await bed.clock.advance(2 * minute);
  expect((await bed.summary(paid)).refunds).toMatchObject([{ status: 'processing' }]);
  expect(await bed.explain(held)).toMatchObject({ state: 'preauthorized' });
  expect((await bed.capture(held)).status).toBe(409);

  disk.empty();
  await bed.clock.advance(30_000);
  expect((await bed.summary(paid)).refunds).toMatchObject([{ status: 'submitted' }]);
  expect(await bed.explain(held)).toMatchObject({ state: 'voided' });
  expect((await bed.charge(5)).status).toBe(200);
  expect(await bed.booksAgree()).toMatchObject({ agree: true });
});

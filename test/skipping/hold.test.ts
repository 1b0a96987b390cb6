import { expect, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { type SkippingStack, skippingStack } from './skipping-stack.ts';

const realClock = () => new VirtualClock({ startMs: Date.UTC(2026, 6, 1) });
const isHeld = ({ holds }: { holds: unknown[] }) => holds.length > 0;
const waits = ({ waiting }: { waiting: unknown[] }) => waiting.length > 0;
const warnings = (skipping: SkippingStack) =>
  skipping.journal().flatMap(({ kind, data }) => (kind === 'warning' ? [data] : []));

test('a debugger that holds time for a minute moves no time, and one warning names it (B273)', async () => {
  const skipping = await skippingStack({}, realClock());
  await skipping.shopper(60_000);
  const hold = skipping.control('POST', '/clock/hold', { name: 'debugger' });
  await skipping.clockSays(isHeld);
  const sale = skipping.pay(12.5);
  const state = await skipping.clockSays(waits);
  expect(state).toMatchObject({
    stands: 'the hold "debugger" stops time for the whole gateway',
    waiting: [{ by: 'POST /terminals/{terminalId}/payment-request', until: '2026-01-01T09:02:30.000Z' }],
  });
  await skipping.real(60_000, 10_000);
  await skipping.real(60_000, 10_000);
  expect(skipping.passedMs).toBe(0);
  expect(warnings(skipping)).toEqual([
    { message: expect.stringContaining('by "debugger" for 60 real seconds') },
  ]);
  expect((await skipping.control('POST', '/clock/release', { name: 'debugger' })).body).toEqual({
    released: 1,
  });
  expect((await hold).body).toEqual({ name: 'debugger', ended: 'released' });
  const done = sale.then(() => 'done');
  while (!skipping.over && (await Promise.race([done, skipping.real(50)])) !== 'done');
  expect((await sale).body).toMatchObject({ response: { result: 'success' } });
  expect(skipping.passedMs).toBe(60_000);
});

test('a hold of time ends when its connection closes, and after maxMs (B273)', async () => {
  const skipping = await skippingStack({}, realClock());
  const leaving = new AbortController();
  const left = skipping.control('POST', '/clock/hold', { name: 'gone' }, leaving.signal).catch(() => 'gone');
  await skipping.clockSays(isHeld);
  leaving.abort();
  expect(await left).toBe('gone');
  await skipping.clockSays(({ holds }) => holds.length === 0);
  const short = skipping.control('POST', '/clock/hold', { name: 'short', maxMs: 2_000 });
  await skipping.clockSays(isHeld);
  await skipping.real(2_000, 1_000);
  expect((await short).body).toEqual({ name: 'short', ended: 'limit' });
});

test('a caller that moves time waits for the end of a hold (B273)', async () => {
  const skipping = await skippingStack({ clock: 'virtual' });
  const hold = skipping.control('POST', '/clock/hold', { name: 'debugger' });
  await skipping.clockSays(isHeld);
  const advance = skipping.control('POST', '/clock/advance', { ms: 150_000 });
  await skipping.control('GET', '/terminals');
  expect(skipping.passedMs).toBe(0);
  await skipping.control('POST', '/clock/release', { name: 'debugger' });
  await Promise.all([hold, advance]);
  expect(skipping.passedMs).toBe(150_000);
});

test('a held gateway can be stopped, and a real clock cannot be held (B273)', async () => {
  const skipping = await skippingStack();
  const hold = skipping.control('POST', '/clock/hold', { name: 'debugger' });
  await skipping.clockSays(isHeld);
  await skipping.stack.close();
  expect((await hold).body).toEqual({ name: 'debugger', ended: 'closed' });
  const real = await skippingStack({ clock: 'real' });
  expect(await real.control('POST', '/clock/hold', { name: 'x' })).toMatchObject({ status: 409 });
  expect((await real.control('GET', '/clock')).body).toMatchObject({ stands: null, holds: [] });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { skippingStack } from './skipping-stack.ts';

test('a shopper who thinks for a minute does not delay the sale in real time (B270)', async () => {
  const skipping = await skippingStack();
  await skipping.shopper(60_000);
  const { status, body } = await skipping.pay(12.5);
  expect([status, body]).toMatchObject([200, { response: { result: 'success' } }]);
  expect(skipping.passedMs).toBe(60_000);
});

test('a terminal that is off is waited for up to 150 s (B270)', async () => {
  const skipping = await skippingStack();
  await skipping.at('POST', 'power', { on: false });
  expect((await skipping.pay(12.5, 'sale-1')).status).toBe(303);
  expect(skipping.passedMs).toBe(150_000);
  const ask = () => skipping.pos('GET', '/payment-requests/status?idempotencyKey=sale-1');
  expect(await ask()).toMatchObject({
    status: 200,
    body: { response: { errorCondition: 'unreachableHost' } },
  });
});

test('a POS can sleep in virtual time, for ten minutes at most (B274)', async () => {
  const skipping = await skippingStack();
  expect((await skipping.control('POST', '/clock/wait', { ms: 600_000 })).status).toBe(200);
  expect(skipping.passedMs).toBe(600_000);
  expect((await skipping.control('POST', '/clock/wait', { ms: 600_001 })).status).toBe(400);
});

test('after a crash a request waits, without real time, until the terminals can be reached again (B317)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-skipping-'));
  const skipping = await skippingStack({ memory: false, data: folder });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await skipping.shopper();
  await skipping.control('PUT', '/moments/after.authorized', { action: 'crash' });
  await expect(skipping.pay(12.5)).rejects.toThrow();
  const now = await Promise.all([
    skipping.control('PUT', '/moments/pin', { action: 'powerOff' }),
    skipping.at('GET', 'screen'),
    skipping.shopper(),
    skipping.control('GET', '/cards'),
  ]);
  expect(now.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(skipping.passedMs).toBe(0);
});

test('a GET for an unknown path keeps time still for a second, like one of the control API (B271)', async () => {
  const realClock = new VirtualClock({ startMs: 0 });
  const skipping = await skippingStack({}, realClock);
  await skipping.shopper(30_000);
  let paid = false;
  const paying = skipping.pay(5).then(() => {
    paid = true;
  });
  for (let reads = 0; reads < 300 && !paid; reads++) {
    await skipping.control('GET', '/nothing');
    await skipping.pos('GET', '/favicon.ico');
    await skipping.real(20);
  }
  expect(paid).toBe(true);
  await paying;
});

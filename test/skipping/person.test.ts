import { expect, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { skippingStack } from './skipping-stack.ts';

test('time stands still while the terminal waits for a person, and the clock says so (B272, B276)', async () => {
  const skipping = await skippingStack();
  const sale = skipping.pay(12.5);
  const asking = await skipping.clockSays(({ asked }) => asked.length > 0);
  const [terminal] = skipping.stack.terminals;
  expect(asking).toMatchObject({
    stands: `the terminal ${terminal?.poiId} waits for a person (presentCard)`,
    asked: [{ terminal: terminal?.poiId, state: 'presentCard' }],
  });
  await skipping.at('POST', 'tap', { card: 'visa-credit' });
  expect((await sale).body).toMatchObject({ response: { result: 'success' } });
  expect(skipping.passedMs).toBe(0);
  expect((await skipping.control('GET', '/clock')).body).toMatchObject({
    skipping: true,
    stands: 'nothing waits for time to pass',
    asked: [],
  });
});

test('a shopper who has left is waited for as long as the terminal waits (B272)', async () => {
  const skipping = await skippingStack();
  await skipping.at('PUT', 'shopper', { leaves: true });
  expect((await skipping.pay(12.5)).body).toMatchObject({ response: { result: 'failure' } });
  expect(skipping.passedMs).toBe(120_000);
  await skipping.at('DELETE', 'shopper');
  const sale = skipping.pay(12.5);
  await skipping.clockSays(({ asked }) => asked.length > 0);
  await skipping.at('POST', 'press', { key: 'cancel' });
  await sale;
  expect(skipping.passedMs).toBe(120_000);
});

test('a card that stays in the slot after a payment is waited for (B272)', async () => {
  const skipping = await skippingStack();
  const sale = skipping.pay(12.5);
  await skipping.at('GET', 'screen?until=presentCard');
  await skipping.at('POST', 'insert', { card: 'no-pin' });
  await sale;
  expect(await skipping.clockSays(({ asked }) => asked.length > 0)).toMatchObject({
    asked: [{ state: 'removeCard' }],
  });
  const wait = skipping.control('POST', '/clock/wait', { ms: 5_000 });
  await skipping.clockSays(({ waiting }) => waiting.length > 0);
  expect(skipping.passedMs).toBe(0);
  await skipping.at('POST', 'remove');
  await wait;
  expect(skipping.passedMs).toBe(5_000);
});

test('a wait for a screen that does not come fails at its limit in virtual time (B277)', async () => {
  // Lint would set timers on the real clock. With lint off, the timer of this wait is the only timer there.
  const realClock = new VirtualClock({ startMs: Date.UTC(2026, 6, 1) });
  const skipping = await skippingStack({ lint: 'off' }, realClock);
  const waits = skipping.at('GET', 'screen?until=pin&timeoutMs=20000');
  await skipping.clockSays(({ waiting }) => waiting.length > 0);
  await skipping.standsFor(5_000);
  await skipping.real(4_900, 100);
  expect(skipping.passedMs).toBeLessThan(20_000);
  const { status, body } = await skipping.realUntil(waits, 5_000);
  expect([status, body.message]).toEqual([409, 'The screen is idle, not pin, after 20000 ms']);
  expect(skipping.passedMs).toBe(20_000);
});

import { afterEach, expect, test } from 'vitest';
import { until } from '../../test/until.ts';
import { PaymentsHarness } from './payments-harness.fixture.ts';

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const second = 1_000;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Lets nothing be written until the result is called. */
function busyDisk(): () => Promise<unknown> {
  const free = Promise.withResolvers<void>();
  const written = harness.tamper(() => free.promise);
  return () => {
    free.resolve();
    return written;
  };
}

/** Time passes although something is in flight, as real time does. */
const pass = (ms: number) => harness.clock.startAt(harness.clock.now() + ms);

/** A payment request that was decided on, and waits for the disk. */
async function paymentOnBusyDisk() {
  harness = await PaymentsHarness.start();
  await harness.call('GET', '/terminals'); // from now on the token is known, so that nothing is read
  const free = busyDisk();
  const paying = harness.pay(25);
  await until('the payment request has arrived', () => harness.journal('http.received').length === 2);
  await turn();
  return { paying, free };
}

test('the cap is 150 s after the payment was decided on, however long the disk took to store it (B41)', async () => {
  const { paying, free } = await paymentOnBusyDisk();
  pass(60 * second);
  await free();
  await harness.seen('payment.accepted');
  await harness.clock.advance(90 * second - 1);
  expect(harness.journal('payment.concluded')).toEqual([]);
  await harness.clock.advance(1);
  expect((await paying).status).toBe(303);
  expect(harness.journal('payment.concluded')).toHaveLength(1);
});

test('a cap that passed while the disk was busy is met as soon as the payment is stored', async () => {
  const { paying, free } = await paymentOnBusyDisk();
  pass(200 * second);
  await free();
  await harness.seen('payment.concluded');
  expect((await paying).status).toBe(303);
});

import { afterEach, describe, expect, test } from 'vitest';
import { temporaryDatabaseFile } from '../../shared/database/temporary-file.fixture.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { hour, PaymentsHarness, testIds } from './payments-harness.fixture.ts';

/** The tests of this file show that a change of the wall clock changes no duration (B122). */

let harness: PaymentsHarness;
afterEach(() => harness.stop());

const second = 1_000;
const outcome = async (id: string) => (await harness.status(id)).body.response;
const deviceOut = { errorCondition: 'deviceOut' };

describe.each([
  ['back an hour', -hour],
  ['forward an hour', hour],
])('a wall clock that is set %s', (_, byMs) => {
  test('does not move the time limit: 303 and unreachableHost after 150 s', async () => {
    harness = await PaymentsHarness.start();
    const paying = harness.pay(25);
    await harness.seen('payment.accepted');
    harness.clock.setWallClock(byMs);
    await harness.clock.advance(150 * second - 1);
    expect(harness.journal('payment.concluded')).toEqual([]);
    await harness.clock.advance(1);
    const { status, body } = await paying;
    expect(status).toBe(303);
    expect(await outcome(body.identifier)).toMatchObject({ errorCondition: 'unreachableHost' });
  });

  test('does not move a lost payment’s deadline, whether set before the loss or after it', async () => {
    harness = await PaymentsHarness.start();
    const terminal = await harness.terminal().connect();
    const paying = harness.pay(25);
    await terminal.next('PaymentRequest');
    harness.clock.setWallClock(byMs);
    terminal.link?.close();
    await harness.seen('payment.lost');
    harness.clock.setWallClock(byMs);
    await harness.clock.advance(190 * second - 1);
    expect(harness.journal('payment.concluded')).toEqual([]);
    await harness.clock.advance(1);
    expect(await outcome((await paying).body.identifier)).toMatchObject(deviceOut);
  });

  test('does not stop a payment from being delivered before its time limit', async () => {
    harness = await PaymentsHarness.start();
    const paying = harness.pay(25);
    await harness.seen('payment.accepted');
    harness.clock.setWallClock(byMs);
    const terminal = await harness.terminal().connect();
    await terminal.pay();
    expect((await paying).body.response).toMatchObject({ result: 'success' });
  });
});

/**
 * Makes a runtime whose clock counts like a machine's clock. A virtual clock would start at the latest stored time, so
 * it would never be behind that time (B123). Each reading of the monotonic clock may take `lookMs`. That time does not
 * appear on the wall clock, because the wall clock counts whole milliseconds.
 */
function ofAMachine(runtime: Runtime, lookMs = 0): Runtime {
  let looked = 0;
  const clock = new Proxy(runtime.clock, {
    getPrototypeOf: () => null,
    get(target, name) {
      if (name === 'monotonic') return () => target.monotonic() + lookMs * looked++;
      const member = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { ...runtime, clock };
}

test('a wall clock that is set back while the gateway is down gives a payment no more than its full length', async () => {
  const file = temporaryDatabaseFile();
  harness = await PaymentsHarness.start({ file });
  await harness.terminal().connect();
  const paying = harness.pay(25);
  await harness.seen('payment.delivered');
  await harness.stop();
  const { identifier } = (await paying).body;
  harness.clock.setWallClock(-hour);
  harness = await PaymentsHarness.start({ file, runtime: ofAMachine(harness.runtime) });
  await harness.clock.advance(190 * second);
  expect(harness.journal('payment.concluded')).toHaveLength(1);
  expect(await outcome(identifier)).toMatchObject(deviceOut);
});

test('a wall clock that is set back while the gateway is down gives an undelivered payment no more than its time limit', async () => {
  const file = temporaryDatabaseFile();
  harness = await PaymentsHarness.start({ file });
  const paying = harness.pay(25);
  await harness.seen('payment.accepted');
  await harness.stop();
  const { identifier } = (await paying).body;
  harness.clock.setWallClock(-hour);
  harness = await PaymentsHarness.start({ file, runtime: ofAMachine(harness.runtime) });
  await harness.clock.advance(150 * second);
  expect(harness.journal('payment.concluded')).toHaveLength(1);
  expect(await outcome(identifier)).toMatchObject({ errorCondition: 'unreachableHost' });
  const terminal = await harness.terminal().connect();
  await harness.settle();
  expect(terminal.received).toEqual([]);
});

test.each([
  ['a payment', async () => {}],
  ['a payment of a deleted terminal', () => harness.services.terminals.deleteTerminal(testIds.terminal)],
])(
  'a wall clock read at any fraction of a ms leaves the stored deadline of %s the same over each restart (B65)',
  async (_, happens) => {
    const file = temporaryDatabaseFile();
    harness = await PaymentsHarness.start({ file });
    await harness.terminal().connect();
    const paying = harness.pay(25);
    await harness.seen('payment.delivered');
    await happens();
    const { runtime } = harness;
    const deadlines: unknown[] = [];
    for (let restarts = 0; restarts < 5; restarts++) {
      await harness.stop();
      harness = await PaymentsHarness.start({ file, runtime: ofAMachine(runtime, 0.3 * restarts) });
      await harness.settle();
      const [open] = await harness.services.explanations.list({ limit: 1 });
      deadlines.push(open?.deadlineAt);
    }
    await paying;
    expect(new Set(deadlines).size).toBe(1);
    expect(deadlines[0]).toEqual(expect.any(String));
  },
);

test('a wall clock that is set forward by days lets no key expire before its 48 hours have passed', async () => {
  harness = await PaymentsHarness.start();
  const terminal = await harness.terminal().connect();
  const pay = () => harness.pay(25, { key: 'k' });
  const paying = pay();
  await terminal.pay();
  const { identifier } = (await paying).body;
  harness.clock.setWallClock(49 * hour);
  expect((await pay()).body.identifier).toBe(identifier);
  await harness.clock.advance(48 * hour - 1);
  expect((await pay()).body.identifier).toBe(identifier);
  await harness.clock.advance(1);
  const again = pay();
  await terminal.pay();
  expect((await again).body.identifier).not.toBe(identifier);
});

test('a wall clock that is set forward by days hides no recent payment from the latest request on a terminal', async () => {
  harness = await PaymentsHarness.start();
  const paying = harness.pay(25);
  await (await harness.terminal().connect()).pay();
  const { identifier } = (await paying).body;
  harness.clock.setWallClock(49 * hour);
  const latest = () => harness.call('GET', '/terminals/019b0000-0000-7000-8000-000000000002/payment-request');
  expect((await latest()).body.identifier).toBe(identifier);
  await harness.clock.advance(48 * hour);
  expect((await latest()).status).toBe(404);
});

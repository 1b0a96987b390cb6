import { expect, test } from 'vitest';
import { closeCodes } from '../../shared/transport/link.ts';
import { emulatorHarness } from '../../test/emulator-harness.ts';

test('a lost link is dialled again at growing intervals, until the gateway is back', async () => {
  const { gateway, terminal, clock, settle, runtime } = await emulatorHarness({ remoteControl: false });
  const { reconnectMinMs, reconnectMaxMs } = runtime.timeouts;
  gateway.refuse = 503;
  gateway.links[0]?.close(closeCodes.goingAway, 'bye');
  await settle();
  expect(terminal.screen().state).toBe('offline');
  const waits: number[] = [];
  for (let last = clock.now(); waits.length < 8; last = clock.now()) {
    await clock.advanceTo(clock.nextDue() as number);
    waits.push(clock.now() - last);
  }
  waits.forEach((wait, tries) => {
    const longest = Math.min(reconnectMaxMs, reconnectMinMs * 2 ** tries);
    expect(wait).toBeGreaterThanOrEqual(longest / 2);
    expect(wait).toBeLessThanOrEqual(longest + 1);
  });
  gateway.refuse = undefined;
  await clock.advance(reconnectMaxMs);
  expect(terminal.screen().state).toBe('idle');
  gateway.links[1]?.close(closeCodes.goingAway, 'bye');
  await clock.advance(reconnectMinMs + 1);
  expect(terminal.screen().state).toBe('idle');
});

test('a link that ends whenever a message cannot be handled is also dialled at growing intervals', async () => {
  const { gateway, clock, settle, runtime } = await emulatorHarness({ remoteControl: false });
  const { reconnectMinMs, reconnectMaxMs } = runtime.timeouts;
  const fail = async () => {
    gateway.links.at(-1)?.close(closeCodes.internalError, 'internal error');
    await settle();
  };
  const again = async () => {
    const from = clock.now();
    const links = gateway.links.length;
    while (gateway.links.length === links) await clock.advanceTo(clock.nextDue() as number);
    return clock.now() - from;
  };
  for (let tries = 0; tries < 7; tries++) {
    await fail();
    const longest = Math.min(reconnectMaxMs, reconnectMinMs * 2 ** tries);
    expect(await again()).toBeGreaterThanOrEqual(longest / 2);
  }
  await clock.advance(reconnectMaxMs);
  await fail();
  expect(await again()).toBeLessThanOrEqual(reconnectMinMs + 1);
});

test('a displaced terminal says so and waits a minute before it dials again', async () => {
  const { gateway, terminal, clock, settle, runtime } = await emulatorHarness({ remoteControl: false });
  gateway.links[0]?.close(closeCodes.displaced, 'a newer connection took over');
  await settle();
  expect(terminal.screen().state).toBe('displaced');
  const warnings = runtime.journal.since(0).filter(({ kind }) => kind === 'warning');
  expect(warnings.map(({ data }) => data)).toMatchObject([
    {
      message: expect.stringMatching(/^another process runs the same terminal, .*: stop one of the two$/),
    },
  ]);
  await clock.advance(59_999);
  expect(gateway.links).toHaveLength(1);
  await clock.advance(1);
  expect(gateway.links).toHaveLength(2);
  expect(terminal.screen().state).toBe('idle');
});

test('a terminal displaced by its own later dial dials again as after any end, at growing intervals (B190)', async () => {
  const { gateway, terminal, clock, settle, runtime } = await emulatorHarness({ remoteControl: false });
  const { reconnectMinMs, reconnectMaxMs } = runtime.timeouts;
  for (let tries = 0; tries < 7; tries++) {
    gateway.links.at(-1)?.close(closeCodes.displaced, 'yours');
    await settle();
    expect(terminal.screen().state).toBe('offline');
    const from = clock.now();
    while (gateway.links.length === tries + 1) await clock.advanceTo(clock.nextDue() as number);
    const longest = Math.min(reconnectMaxMs, reconnectMinMs * 2 ** tries);
    expect(clock.now() - from).toBeGreaterThanOrEqual(longest / 2);
    expect(clock.now() - from).toBeLessThanOrEqual(longest + 1);
  }
  expect(runtime.journal.since(0).filter(({ kind }) => kind === 'warning')).toEqual([]);
});

test('a link counts its dials, and its instance id is unique even among processes with the same seed (B189)', async () => {
  const { gateway, start, powerCut, powerOn, clock } = await emulatorHarness({ remoteControl: false });
  powerCut();
  powerOn();
  await clock.advance(5_000);
  await start();
  const [first, again, other] = gateway.dials;
  expect(gateway.dials).toEqual([
    { instance: first?.instance, count: 1 },
    { instance: first?.instance, count: 2 },
    { instance: other?.instance, count: 1 },
  ]);
  expect(again?.instance).not.toBe(other?.instance);
});

test('after a refused key the terminal retries slowly', async () => {
  const { gateway, terminal, clock, settle, runtime } = await emulatorHarness({ remoteControl: false });
  gateway.refuse = 401;
  gateway.links[0]?.close(closeCodes.goingAway, 'bye');
  await clock.advance(runtime.timeouts.reconnectMinMs + 1);
  expect(terminal.screen().state).toBe('offline');
  expect(clock.nextDue()).toBeGreaterThan(clock.now() + runtime.timeouts.reconnectMaxMs - 1000);
  gateway.refuse = undefined;
  await clock.advance(runtime.timeouts.reconnectMaxMs);
  await settle();
  expect(terminal.screen().state).toBe('idle');
});

test('the gateway does not notice a cut cable', async () => {
  const { gateway, terminal, clock } = await emulatorHarness({ remoteControl: false });
  terminal.act({ action: 'network', up: false });
  await clock.advance(600_000);
  expect(gateway.links[0]?.open).toBe(true);
  expect(terminal.screen()).toMatchObject({ state: 'offline', lamps: { network: false } });
  terminal.act({ action: 'network', up: true });
  await clock.advance(0);
  expect(gateway.links[0]?.open).toBe(false);
  expect(gateway.links).toHaveLength(2);
});

test('a gateway that breaks the protocol loses the link, and the terminal dials again', async () => {
  const { gateway, settle, clock, runtime } = await emulatorHarness({ remoteControl: false });
  for (const frame of [
    '{"SaleToPOIRequest":{}}',
    '[]',
    '{"SaleToPOIRequest":{"MessageHeader":{},"PaymentRequest":{}}}',
  ]) {
    let closed: number | undefined;
    gateway.links.at(-1)?.onClosed((code) => {
      closed = code;
    });
    gateway.links.at(-1)?.send(frame);
    await settle();
    expect(closed).toBe(closeCodes.badMessage);
    await clock.advance(runtime.timeouts.reconnectMinMs + 1);
  }
  expect(gateway.links).toHaveLength(4);
});

test('a terminal that is closed while it starts makes no connection', async () => {
  const { gateway, emulator, powerCut, powerOn, settle } = await emulatorHarness({ remoteControl: false });
  powerCut();
  powerOn();
  await emulator.close();
  await settle();
  expect(gateway.links).toHaveLength(1);
});

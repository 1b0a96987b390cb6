import { expect, test } from 'vitest';
import type { EmulatorCommand, EmulatorFrame } from '../../shared/emulator/frames.ts';
import { emulatorFrameSchema } from '../../shared/emulator/frames.ts';
import { closeCodes } from '../../shared/transport/link.ts';
import { emulatorHarness, poiId } from '../../test/emulator-harness.ts';

async function emulatorLinkHarness(options: Parameters<typeof emulatorHarness>[0] = {}) {
  const harness = await emulatorHarness(options);
  const frames = () => harness.gateway.emulatorFrames as EmulatorFrame[];
  let id = 0;
  const command = async (given: EmulatorCommand['command'], terminal = poiId) => {
    const frame: EmulatorCommand = { id: ++id, poiId: terminal, command: given };
    harness.gateway.emulatorLinks.at(-1)?.send(JSON.stringify(frame));
    await harness.settle();
    return frames().find((each) => each.type === 'answer' && each.id === id);
  };
  const screens = () => frames().flatMap((frame) => (frame.type === 'screen' ? [frame.screen.state] : []));
  return { ...harness, frames, command, screens };
}

test('an emulator announces its terminals, and shows their screens on request', async () => {
  const { frames, screens, terminal, settle, command } = await emulatorLinkHarness();
  terminal.act({ action: 'insert', card: 'no-pin' });
  await settle();
  expect(screens()).toEqual([]);
  await command({ do: 'showScreens' });
  expect(screens()).toEqual(['removeCard']);
  terminal.act({ action: 'remove' });
  await settle();
  expect(frames()[0]).toEqual({
    type: 'hello',
    terminals: [{ poiId, deviceKey: 'key' }],
    knowsMoments: true,
  });
  expect(screens().at(-1)).toBe('idle');
  for (const frame of frames()) expect(emulatorFrameSchema.parse(frame)).toEqual(frame);
});

test('a terminal switched on later is announced too', async () => {
  const { emulator, frames, settle, command } = await emulatorLinkHarness();
  await command({ do: 'showScreens' });
  await emulator.addTerminal({ poiId: 'P400-2', deviceKey: 'other' });
  await settle();
  expect(
    frames()
      .filter(({ type }) => type === 'hello')
      .at(-1),
  ).toEqual({
    type: 'hello',
    knowsMoments: true,
    terminals: [{ poiId: 'P400-2', deviceKey: 'other' }],
  });
  expect(frames().some((frame) => frame.type === 'screen' && frame.poiId === 'P400-2')).toBe(true);
});

test('actions are done and answered, and the resulting screen comes before the answer', async () => {
  const { gateway, command, frames, settle } = await emulatorLinkHarness();
  await command({ do: 'showScreens' });
  gateway.pay('1');
  await settle();
  const from = frames().length;
  expect(await command({ do: 'act', action: { action: 'insert', card: 'offline-pin' } })).not.toHaveProperty(
    'error',
  );
  const [screen, answer] = frames().slice(from);
  expect(screen).toMatchObject({ type: 'screen', screen: { state: 'pin' } });
  expect(answer).toMatchObject({ type: 'answer' });
});

test('an impossible action is answered with the reason', async () => {
  const { command } = await emulatorLinkHarness();
  expect(await command({ do: 'act', action: { action: 'remove' } })).toMatchObject({
    error: { code: 'notPossible' },
  });
  expect(await command({ do: 'receipts' }, 'nobody')).toMatchObject({ error: { code: 'unknownTerminal' } });
  expect(
    await command({ do: 'shopper', shopper: { card: 'nothing', entry: 'ICC', tip: 'none', thinkMs: 0 } }),
  ).toMatchObject({ error: { code: 'unknownCard' } });
  expect(await command({ do: 'addCard', card: { id: 'x' } })).toMatchObject({
    error: { code: 'notPossible' },
  });
});

test('cards, receipts and shoppers can be controlled remotely', async () => {
  const { command, gateway, settle, emulator } = await emulatorLinkHarness();
  const mine = { ...emulator.cards.get('no-pin'), id: 'mine' };
  await command({ do: 'addCard', card: mine });
  await command({ do: 'shopper', shopper: { card: 'mine', entry: 'ICC', tip: 'none', thinkMs: 0 } });
  gateway.pay('1');
  await settle();
  expect(gateway.outcomes()).toMatchObject([{ Response: { Result: 'Success' } }]);
  const answer = await command({ do: 'receipts' });
  expect(answer).toMatchObject({ receipts: [{ copy: 'cashierReceipt' }, { copy: 'customerReceipt' }] });
  const cards = await command({ do: 'cards' });
  expect(JSON.stringify(cards)).toContain('"mine"');
  expect(JSON.stringify(cards)).not.toContain(mine.number);
});

test('cutting a terminal’s network does not cut the emulator link', async () => {
  const { command, screens } = await emulatorLinkHarness();
  await command({ do: 'showScreens' });
  await command({ do: 'act', action: { action: 'network', up: false } });
  expect(screens().at(-1)).toBe('offline');
  await command({ do: 'act', action: { action: 'network', up: true } });
  expect(screens().at(-1)).toBe('idle');
  await command({ do: 'act', action: { action: 'power', on: false } });
  expect(screens().at(-1)).toBe('off');
});

test('a lost emulator link is opened again, and is asked again for screens', async () => {
  const { gateway, clock, runtime, frames, command, screens } = await emulatorLinkHarness();
  gateway.emulatorLinks[0]?.close();
  await clock.advance(runtime.timeouts.reconnectMinMs + 1);
  expect(gateway.emulatorLinks).toHaveLength(2);
  expect(frames().filter(({ type }) => type === 'hello')).toHaveLength(2);
  expect(screens()).toEqual([]);
  await command({ do: 'showScreens' });
  expect(screens()).toEqual(['idle']);
});

test('a terminal that another process took over is announced again when it is back, even during a payment', async () => {
  const { gateway, clock, runtime, frames, command, settle, terminal } = await emulatorLinkHarness();
  await command({ do: 'showScreens' });
  gateway.pay('1');
  await settle();
  gateway.links[0]?.close(closeCodes.displaced, 'a newer connection took over');
  await settle();
  const from = frames().length;
  await clock.advance(runtime.timeouts.displacedMs);
  expect(terminal.state).toBe('presentCard');
  const [hello, screen] = frames().slice(from);
  expect(hello).toEqual({ type: 'hello', terminals: [{ poiId, deviceKey: 'key' }], knowsMoments: true });
  expect(screen).toMatchObject({ type: 'screen', poiId, screen: { state: 'presentCard' } });
});

test('the journal of a separate emulator is forwarded, including entries from while the link was down', async () => {
  const { gateway, terminal, clock, runtime, frames, settle } = await emulatorLinkHarness({
    forwardJournal: true,
  });
  const forwarded = () => frames().flatMap((frame) => (frame.type === 'journal' ? frame.entries : []));
  expect(forwarded().map(({ kind }) => kind)).toContain('terminal.state');
  gateway.emulatorLinks[0]?.close();
  await settle();
  const from = forwarded().length;
  terminal.act({ action: 'insert', card: 'no-pin' });
  terminal.act({ action: 'remove' });
  runtime.journal.add('control.changed', { what: 'nothing that is forwarded' });
  await settle();
  expect(forwarded()).toHaveLength(from);
  await clock.advance(runtime.timeouts.reconnectMinMs + 1);
  expect(
    forwarded()
      .map(({ kind }) => kind)
      .slice(from),
  ).toEqual(['terminal.card', 'terminal.screen', 'terminal.card', 'terminal.screen']);
  expect(forwarded()[from]?.data).toBe('{"action":"inserted","card":"no-pin"}');
});

test('an emulator sends its full journal on request, and before that only what a log shows', async () => {
  const { terminal, command, frames, settle, gateway, clock, runtime } = await emulatorLinkHarness({
    forwardJournal: true,
  });
  const forwarded = () =>
    frames().flatMap((frame) => (frame.type === 'journal' ? frame.entries.map(({ kind }) => kind) : []));
  const lastOf = (count: number) => forwarded().slice(-count);
  expect(frames()[0]).toMatchObject({ type: 'hello', keepsJournal: true });
  await command({ do: 'keepJournal' });
  const before = forwarded().length;
  terminal.act({ action: 'insert', card: 'no-pin' });
  await settle();
  expect(forwarded()).toHaveLength(before);
  terminal.act({ action: 'slow', latencyMs: 0 });
  await settle();
  expect(forwarded().slice(before)).toEqual(['terminal.latency']);
  await command({ do: 'showJournal' });
  expect(frames().at(-1)).toMatchObject({ type: 'answer' });
  expect(forwarded().slice(before)).toEqual(['terminal.latency', 'terminal.card', 'terminal.screen']);
  terminal.act({ action: 'remove' });
  await settle();
  expect(lastOf(2)).toEqual(['terminal.card', 'terminal.screen']);

  await command({ do: 'keepJournal' });
  terminal.act({ action: 'insert', card: 'no-pin' });
  gateway.emulatorLinks[0]?.close();
  await clock.advance(runtime.timeouts.reconnectMinMs + 1);
  expect(lastOf(2)).toEqual(['terminal.card', 'terminal.screen']);
});

test('an emulator that ends sends the journal that it held back', async () => {
  const { terminal, emulator, command, frames, settle } = await emulatorLinkHarness({ forwardJournal: true });
  await command({ do: 'keepJournal' });
  terminal.act({ action: 'insert', card: 'no-pin' });
  await settle();
  const kept = JSON.stringify(frames());
  await emulator.close();
  await settle();
  expect(kept).not.toContain('"terminal.card"');
  expect(JSON.stringify(frames())).toContain('"terminal.card"');
});

test('without remote control only the terminals connect to the gateway', async () => {
  const { gateway, terminal } = await emulatorLinkHarness({ remoteControl: false });
  expect(gateway.emulatorLinks).toEqual([]);
  expect(terminal.screen().state).toBe('idle');
});

test('a broken connection is dialled again at once, and one that the gateway closes after a wait (B317)', async () => {
  const { gateway, clock, settle, runtime } = await emulatorLinkHarness();
  gateway.emulatorLinks.at(-1)?.fail(1006, 'lost');
  await settle();
  expect(gateway.emulatorLinks).toHaveLength(2);
  gateway.emulatorLinks.at(-1)?.close(closeCodes.goingAway, 'bye');
  await settle();
  expect(gateway.emulatorLinks).toHaveLength(2);
  await clock.advance(runtime.timeouts.reconnectMinMs + 1);
  expect(gateway.emulatorLinks).toHaveLength(3);
});

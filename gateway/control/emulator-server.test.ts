import { once } from 'node:events';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createRuntime } from '../../shared/create-runtime.ts';
import type { EmulatorCommand, EmulatorFrame } from '../../shared/emulator/frames.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { closeCodes, type Link } from '../../shared/transport/link.ts';
import { dialLink } from '../../shared/transport/link-client.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { RawWebSocket } from '../../test/raw-web-socket.ts';
import { until } from '../../test/until.ts';
import { createGateway, type Gateway } from '../index.ts';
import { exampleCard, exampleScreen } from './examples.ts';

const started: { gateway: Gateway; links: Link[] }[] = [];
afterEach(async () => {
  for (const { gateway, links } of started.splice(0)) {
    for (const link of links) link.fail(closeCodes.goingAway, 'the test is over');
    await gateway.close();
  }
});

/** The emulator's end of the connection to /emulator. The test determines what the emulator answers. */
interface ScriptedEmulator {
  link: Link;
  commands: EmulatorCommand[];
  closed: Promise<{ code: number; reason: string }>;
  send(frame: EmulatorFrame | object): Promise<void>;
  /** Gives the answer to a command. If this returns undefined, the emulator does not answer. */
  answer: (command: EmulatorCommand) => object | undefined;
}

async function setup(clock: 'real' | 'virtual' = 'virtual') {
  const runtime = createRuntime({ clock, seed: 1 });
  const gateway = await createGateway({}, runtime);
  const links: Link[] = [];
  started.push({ gateway, links });
  await gateway.accounts.createAccount({ id: 'shop', name: 'Shop', currency: 'EUR' });
  const { id: storeId } = await gateway.terminals.createStore({ accountId: 'shop', name: 'Shop' });
  const keys = new Map<string, string>();
  for (const poiId of ['V400m-1', 'V400m-2']) {
    const { deviceKey = '' } = await gateway.terminals.createTerminal({ poiId, storeId });
    keys.set(poiId, deviceKey);
  }
  const control = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(gateway.url + path, {
      method,
      headers: {
        authorization: `Bearer ${gateway.controlToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const emulator = (poiIds: string[], key?: string, dials = 'V400m-1') => {
    const terminals = poiIds.map((poiId) => ({ poiId, deviceKey: key ?? keys.get(poiId) ?? '' }));
    return scriptedEmulator(
      gateway,
      runtime,
      terminals,
      { poiId: dials, deviceKey: keys.get(dials) ?? '' },
      links,
    );
  };
  const settle = () => (runtime.clock as VirtualClock).advance(0);
  return { runtime, gateway, control, emulator, settle, keys };
}

async function scriptedEmulator(
  gateway: Gateway,
  runtime: Runtime,
  terminals: { poiId: string; deviceKey: string }[],
  { poiId, deviceKey }: { poiId: string; deviceKey: string },
  links: Link[],
): Promise<ScriptedEmulator> {
  const commands: EmulatorCommand[] = [];
  const headers = {
    authorization: `Bearer ${deviceKey}`,
    'pinpad-poi': poiId,
    ...(runtime.clockId === undefined ? {} : { 'pinpad-clock': runtime.clockId }),
  };
  const url = `${gateway.url.replace('http', 'ws')}/emulator`;
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  const scripted: ScriptedEmulator = {
    link: undefined as never,
    commands,
    closed: closed.promise,
    send: (frame) =>
      new Promise((resolve) => {
        scripted.link.send(JSON.stringify(frame), resolve);
        scripted.link.onClosed(() => resolve());
      }),
    answer: () => ({}),
  };
  scripted.link = await dialLink({ url, headers }, runtime, (link) => {
    links.push(link);
    link.onClosed((code, reason) => closed.resolve({ code, reason }));
    link.handle((json) => {
      const command = json as EmulatorCommand;
      commands.push(command);
      const answer = scripted.answer(command);
      if (answer) link.send(JSON.stringify({ type: 'answer', id: command.id, ...answer }));
    });
  });
  await scripted.send({ type: 'hello', terminals });
  return scripted;
}

test('commands reach the emulator that hosts the terminal, and its refusals are returned', async () => {
  const { control, emulator } = await setup();
  const first = await emulator(['V400m-1']);
  const second = await emulator(['V400m-2']);
  await second.send({ type: 'screen', poiId: 'V400m-2', screen: exampleScreen });
  const tapped = await control('POST', '/control/terminals/V400m-2/tap', { card: 'visa-credit' });
  expect(tapped.body).toEqual({ terminal: 'V400m-2', screen: exampleScreen });
  expect(second.commands[0]).toMatchObject({
    poiId: 'V400m-2',
    command: { do: 'act', action: { action: 'tap', card: 'visa-credit' } },
  });
  expect(first.commands).toEqual([]);
  second.answer = () => ({ error: { code: 'notPossible', message: 'the slot is taken' } });
  const refused = await control('POST', '/control/terminals/V400m-2/insert', { card: 'visa-credit' });
  expect(refused).toMatchObject({ status: 409, body: { error: 'conflict', message: 'the slot is taken' } });
});

test('an emulator is asked for screens once, and only if a client asks', async () => {
  const { control, emulator } = await setup();
  const { commands, send } = await emulator(['V400m-1', 'V400m-2']);
  expect(commands).toEqual([]);
  const looks = ['V400m-1', 'V400m-2'].map((poiId) => control('GET', `/control/terminals/${poiId}/screen`));
  expect((await Promise.all(looks)).map(({ status }) => status)).toEqual([409, 409]);
  expect(commands.map(({ command }) => command)).toEqual([{ do: 'showScreens' }]);
  await send({ type: 'screen', poiId: 'V400m-1', screen: exampleScreen });
  expect((await control('GET', '/control/terminals/V400m-1')).body).toMatchObject({
    screen: exampleScreen.state,
  });
});

test('a client that waits for a screen gets it from an emulator that connects later', async () => {
  const { control, emulator, settle } = await setup();
  const waiting = control('GET', '/control/terminals/V400m-1/screen?until=presentCard');
  await settle();
  const { commands, send } = await emulator(['V400m-1']);
  expect(commands.map(({ command }) => command)).toEqual([{ do: 'showScreens' }]);
  await send({ type: 'screen', poiId: 'V400m-1', screen: exampleScreen });
  expect((await waiting).body).toEqual(exampleScreen);
});

test('a client that waits for a screen gets it from an emulator that takes the terminal over meanwhile', async () => {
  const { control, emulator } = await setup();
  const former = await emulator(['V400m-1']);
  const asked = Promise.withResolvers<void>();
  former.answer = () => asked.resolve() as undefined;
  const waiting = control('GET', '/control/terminals/V400m-1/screen?until=presentCard&timeoutMs=2000');
  await asked.promise;
  const later = await emulator(['V400m-1']);
  former.link.close();
  await former.closed;
  expect(later.commands.map(({ command }) => command)).toEqual([{ do: 'showScreens' }]);
  await later.send({ type: 'screen', poiId: 'V400m-1', screen: exampleScreen });
  expect((await waiting).body).toEqual(exampleScreen);
});

test('a client that waits for a screen is answered in real time, even if a virtual clock stands still', async () => {
  const { control, emulator } = await setup();
  const { send } = await emulator(['V400m-1']);
  await send({ type: 'screen', poiId: 'V400m-1', screen: exampleScreen });
  const late = await control('GET', '/control/terminals/V400m-1/screen?until=pin&timeoutMs=1');
  expect(late).toMatchObject({
    status: 409,
    body: { message: `The screen is ${exampleScreen.state}, not pin, after 1 ms` },
  });
});

test('an emulator that is gone when its hello is read takes no terminal from a connected one (B191)', async () => {
  const { control, emulator, gateway, keys } = await setup('real');
  const there = await emulator(['V400m-1']);
  await there.send({ type: 'screen', poiId: 'V400m-1', screen: exampleScreen });
  const deviceKey = keys.get('V400m-1') ?? '';
  const headers = { authorization: `Bearer ${deviceKey}`, 'pinpad-poi': 'V400m-1' };
  const gone = (await RawWebSocket.open(gateway.url, '/emulator', headers)) as RawWebSocket;
  gone.text(JSON.stringify({ type: 'hello', terminals: [{ poiId: 'V400m-1', deviceKey }] }));
  // The next line waits until the gateway has read the emulator's first message.
  await gone.next();
  const press = () => control('POST', '/control/terminals/V400m-1/press', { key: 'enter' });
  expect((await press()).status).toBe(200);
  gone.destroy();
  expect((await press()).status).toBe(200);
  expect(there.commands.filter(({ command }) => command.do === 'act')).toHaveLength(2);
});

test('a terminal that no emulator hosts cannot be acted on', async () => {
  const { control, emulator } = await setup();
  expect((await control('POST', '/control/terminals/V400m-1/tap', { card: 'x' })).status).toBe(409);
  expect((await control('GET', '/control/terminals/V400m-1/screen')).status).toBe(409);
  expect((await control('GET', '/control/cards')).status).toBe(409);
  const { link, closed, send } = await emulator(['V400m-1']);
  await send({ type: 'screen', poiId: 'V400m-1', screen: exampleScreen });
  expect((await control('POST', '/control/terminals/V400m-1/remove')).status).toBe(200);
  link.close();
  await closed;
  expect((await control('POST', '/control/terminals/V400m-1/remove')).status).toBe(409);
});

test('an emulator that does not answer in time gives 504, even on a virtual clock', async () => {
  const { control, emulator, runtime } = await setup();
  const silent = await emulator(['V400m-1']);
  silent.answer = () => undefined;
  const asked = control('POST', '/control/terminals/V400m-1/remove');
  await until('the emulator has the command', () => silent.commands.length > 0);
  await (runtime.clock as VirtualClock).advance(runtime.timeouts.acknowledgeMs);
  expect(await asked).toMatchObject({ status: 504, body: { error: 'terminalUnreachable' } });
});

test('an emulator that disconnects while it is asked gives 504 at once', async () => {
  const { control, emulator } = await setup();
  const dying = await emulator(['V400m-1']);
  dying.answer = () => {
    dying.link.fail(closeCodes.goingAway, 'gone');
    return undefined;
  };
  expect((await control('POST', '/control/terminals/V400m-1/remove')).status).toBe(504);
});

test('a terminal belongs to the emulator that announced it last', async () => {
  const { control, emulator } = await setup();
  const first = await emulator(['V400m-1']);
  await first.send({ type: 'screen', poiId: 'V400m-1', screen: exampleScreen });
  const second = await emulator(['V400m-1']);
  const idle = { ...exampleScreen, state: 'idle' };
  await second.send({ type: 'screen', poiId: 'V400m-1', screen: idle });
  await first.send({ type: 'screen', poiId: 'V400m-1', screen: exampleScreen });
  expect((await control('GET', '/control/terminals/V400m-1/screen')).body).toEqual(idle);
  first.link.close();
  await first.closed;
  expect((await control('POST', '/control/terminals/V400m-1/remove')).status).toBe(200);
  expect(second.commands).toHaveLength(1);
});

test('an emulator that announces a terminal again gets it back, and keeps it when the other disconnects', async () => {
  const { control, emulator, keys, gateway, runtime } = await setup();
  const first = await emulator(['V400m-1']);
  const second = await emulator(['V400m-1']);
  await (runtime.clock as VirtualClock).advance(60_000);
  const again = runtime.clock.now();
  await first.send({
    type: 'hello',
    terminals: [{ poiId: 'V400m-1', deviceKey: keys.get('V400m-1') ?? '' }],
  });
  await first.send({ type: 'screen', poiId: 'V400m-1', screen: exampleScreen });
  second.link.close();
  await second.closed;
  // simulates another gateway that began to host the terminal before the first emulator announced it again
  gateway.emulatorServer.letGo(['V400m-1'], (since) => since < again);
  const removed = await control('POST', '/control/terminals/V400m-1/remove');
  expect(removed).toMatchObject({ status: 200, body: { screen: exampleScreen } });
  expect(second.commands).toEqual([]);
});

test('cards of several emulators are listed as one tray, and a reset reaches each emulator', async () => {
  const { control, emulator } = await setup();
  const cards = (...ids: string[]) => ({ cards: ids.map((id) => ({ ...exampleCard, id })) });
  const first = await emulator(['V400m-1']);
  first.answer = ({ command }) => (command.do === 'cards' ? cards('a', 'b') : {});
  const second = await emulator(['V400m-2']);
  second.answer = ({ command }) => (command.do === 'cards' ? cards('b', 'c') : {});
  const tray = await control('GET', '/control/cards');
  expect(tray.body.map(({ id }: { id: string }) => id)).toEqual(['a', 'b', 'c']);
  expect(await control('POST', '/control/cards/b/reset')).toMatchObject({ status: 200, body: { id: 'b' } });
  for (const { commands } of [first, second])
    expect(commands).toContainEqual(
      expect.objectContaining({ command: { do: 'act', action: { action: 'resetCard', card: 'b' } } }),
    );
  const read = await control('POST', '/control/cards/reader-0123456789ABCDEF/reset');
  expect(read).toEqual({ status: 204, body: undefined });
});

test('a link to /emulator needs a device key, and each hosted terminal needs its own', async () => {
  const { gateway, runtime, emulator } = await setup();
  const url = `${gateway.url.replace('http', 'ws')}/emulator`;
  await expect(
    dialLink({ url, headers: { authorization: 'Bearer wrong', 'pinpad-poi': 'V400m-1' } }, runtime, () => {}),
  ).rejects.toMatchObject({ status: 401 });
  const liar = await emulator(['V400m-2'], 'dev_this-is-not-its-key');
  expect(await liar.closed).toEqual({
    code: closeCodes.policy,
    reason: 'this is not the device key of V400m-2',
  });
});

test.each([
  ['what is no frame', { type: 'shout' }, closeCodes.badMessage],
  ['a screen that is none', { type: 'screen', poiId: 'V400m-1', screen: {} }, closeCodes.badMessage],
  [
    "an entry of the gateway's own book",
    { type: 'journal', entries: [{ at: 1, kind: 'ledger.authorized', data: '{}' }] },
    closeCodes.badMessage,
  ],
])('an emulator that sends %s loses its link', async (_name, frame, code) => {
  const { emulator } = await setup();
  const wrong = await emulator(['V400m-1']);
  await wrong.send(frame);
  expect((await wrong.closed).code).toBe(code);
});

test('a fifth link with the same key ends the link that is unused longest (B193)', async () => {
  const { emulator } = await setup();
  const emulators: ScriptedEmulator[] = [];
  for (let nth = 0; nth < 4; nth++) emulators.push(await emulator(['V400m-2']));
  await emulators[0]?.send({ type: 'hello', terminals: [] });
  emulators.push(await emulator(['V400m-2']));
  expect((await emulators[1]?.closed)?.code).toBe(closeCodes.policy);
  expect(emulators.map(({ link }) => link.open)).toEqual([true, false, true, true, true]);
});

test('links with different keys end none of each other (B193)', async () => {
  const { emulator } = await setup();
  const emulators: ScriptedEmulator[] = [];
  for (let nth = 0; nth < 4; nth++) emulators.push(await emulator(['V400m-1'], undefined, 'V400m-1'));
  emulators.push(await emulator(['V400m-2'], undefined, 'V400m-2'));
  // Each call of `send` resolves only after the emulator has received the commands.
  for (const { send } of emulators) await send({ type: 'hello', terminals: [] });
  expect(emulators.map(({ link }) => link.open)).toEqual([true, true, true, true, true]);
});

test('no frame makes the gateway fail', async () => {
  const { emulator, runtime, control } = await setup();
  const frame = fc.oneof(
    fc.json(),
    fc.string(),
    fc
      .record(
        {
          type: fc.constantFrom('hello', 'screen', 'answer', 'journal'),
          terminals: fc.oneof(
            fc.constant([]),
            fc.array(fc.record({ poiId: fc.string(), deviceKey: fc.string() })),
          ),
          poiId: fc.constantFrom('V400m-1', '__proto__', ''),
          screen: fc.oneof(fc.constant(exampleScreen), fc.object()),
          id: fc.integer(),
          error: fc.object(),
          entries: fc.array(
            fc.oneof(
              fc.object(),
              fc.record({ at: fc.float(), kind: fc.constant('terminal.key'), data: fc.string() }),
            ),
          ),
        },
        { requiredKeys: ['type'] },
      )
      .map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 5 }), async (frames) => {
      const { link } = await emulator(['V400m-1']);
      for (const text of frames) link.send(text);
      await (runtime.clock as VirtualClock).advance(0);
      link.fail(closeCodes.goingAway, 'next');
    }),
    { seed: 20_260_101, numRuns: 100 },
  );
  const warnings = runtime.journal.since().filter(({ kind }) => kind === 'warning');
  expect(warnings).toEqual([]);
  expect((await control('GET', '/control')).status).toBe(200);
});

test('a command that was answered is forgotten, so nothing remains to end when its emulator disconnects', async () => {
  const { control, emulator, runtime, settle } = await setup();
  const { clock } = runtime;
  const cleared: unknown[] = [];
  const clear = clock.clearTimeout.bind(clock);
  clock.clearTimeout = (timer) => {
    cleared.push(timer);
    clear(timer);
  };
  const { link, send } = await emulator(['V400m-1']);
  await send({ type: 'screen', poiId: 'V400m-1', screen: exampleScreen });
  expect((await control('POST', '/control/terminals/V400m-1/remove')).status).toBe(200);
  const before = new Set<unknown>(cleared.splice(0).filter((timer) => timer !== undefined));
  expect(before.size).toBeGreaterThan(0);
  link.fail(closeCodes.goingAway, 'it is over');
  await settle();
  expect(cleared.filter((timer) => before.has(timer))).toEqual([]);
});

test("events of terminals at an emulator enter the gateway's journal, only for terminals that it hosts", async () => {
  const { emulator, runtime } = await setup();
  const remote = await emulator(['V400m-1']);
  const entry = (terminal: string) => ({ at: 5, kind: 'terminal.power', terminal, data: '{"on":true}' });
  await remote.send({ type: 'journal', entries: [entry('V400m-2'), entry('V400m-1')] });
  const adopted = runtime.journal.since().filter(({ kind }) => kind === 'terminal.power');
  expect(adopted).toMatchObject([{ at: 5, terminal: 'V400m-1', data: { on: true } }]);
  expect(adopted[0]?.seq).toBe(runtime.journal.latest?.seq);
});

test('an emulator stops sending its journal after a while if nobody reads it, until somebody does', async () => {
  const { control, emulator, runtime, keys, settle } = await setup();
  const hello = { type: 'hello', terminals: [{ poiId: 'V400m-1', deviceKey: keys.get('V400m-1') }] };
  const entry = { at: 5, kind: 'terminal.key', terminal: 'V400m-1', data: '{"key":"1"}' };
  const remote = await emulator(['V400m-1']);
  remote.answer = ({ command }) => {
    if (command.do === 'showJournal') void remote.send({ type: 'journal', entries: [entry] });
    return {};
  };
  const told = () => remote.commands.map(({ command }) => command.do);
  const unread = Array(999).fill({ ...entry, kind: 'terminal.card', data: '{}' });
  await remote.send({ ...hello, keepsJournal: true });
  await remote.send({ type: 'journal', entries: unread });
  await settle();
  expect(told()).toEqual([]);
  await remote.send({ type: 'journal', entries: unread.slice(0, 1) });
  await settle();
  expect(told()).toEqual(['keepJournal']);
  expect(runtime.journal.since().map(({ kind }) => kind)).not.toContain('terminal.key');
  const { body } = await control('GET', '/control/journal?kind=terminal.key');
  expect(body.entries).toMatchObject([{ at: 5, data: { key: '1' } }]);
  await control('GET', '/control/journal');
  expect(told()).toEqual(['keepJournal', 'showJournal']);

  const second = await emulator(['V400m-2']);
  await second.send({ ...hello, keepsJournal: true });
  await second.send({ type: 'journal', entries: [...unread, entry] });
  await settle();
  expect(second.commands).toEqual([]);
});

test('an emulator that answers no ping is disconnected, and its terminals with it', async () => {
  const runtime = createRuntime({ timeouts: { heartbeatMs: 20 } });
  const gateway = await createGateway({}, runtime);
  started.push({ gateway, links: [] });
  await gateway.accounts.createAccount({ id: 'shop', name: 'Shop', currency: 'EUR' });
  const { id: storeId } = await gateway.terminals.createStore({ accountId: 'shop', name: 'Shop' });
  const { deviceKey = '' } = await gateway.terminals.createTerminal({ poiId: 'V400m-1', storeId });
  const socket = new WebSocket(gateway.url.replace('http', 'ws').concat('/emulator'), {
    headers: { authorization: `Bearer ${deviceKey}`, 'pinpad-poi': 'V400m-1' },
    autoPong: false,
  });
  const [code] = await once(socket, 'close');
  expect(code).toBe(1006); // the connection was lost without a close frame
});

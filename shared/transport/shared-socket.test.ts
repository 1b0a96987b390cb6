import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createRuntime } from '../create-runtime.ts';
import {
  authorizedHeaders,
  encodeOpenRecord,
  encodeTestRecord,
  openBareSocket,
} from './bare-socket.fixture.ts';
import { Channel } from './channel.ts';
import { largestFrameBytes } from './largest-frame.ts';
import { closeCodes, type Link } from './link.ts';
import { createLinkHarness, linkDialers } from './link-harness.fixture.ts';
import { type RecordKind, recordKinds } from './records.ts';
import { SharedLinkDialer } from './shared-link-dialer.ts';
import { maxChannelsPerSocket, sharedSocketProtocol } from './shared-socket.ts';

const sharing = linkDialers[1]?.[1] as (typeof linkDialers)[number][1];
const { open, opened, refused, message, close, reset } = recordKinds;

const closing = (link: Link) =>
  new Promise<{ code: number; reason: string }>((resolve) =>
    link.onClosed((code, reason) => resolve({ code, reason })),
  );

const hostile: [string, (Buffer | string)[], string][] = [
  ['a text', ['hello'], 'binary frames only'],
  ['half a record', [encodeTestRecord(message, 1).subarray(0, 12)], 'in the middle of a record'],
  [
    'a record that is shorter than its length says',
    [encodeOpenRecord(2).subarray(0, 40)],
    'shorter than its length',
  ],
  ['a record of no kind', [encodeTestRecord(9 as RecordKind, 1)], 'unknown kind'],
  ['a message of a channel that was never opened', [encodeTestRecord(message, 7, '{}')], 'never opened'],
  ['a channel that is opened twice', [encodeOpenRecord(1)], 'already open'],
  [
    'a channel that was opened and closed before',
    [encodeTestRecord(reset, 1), encodeOpenRecord(1)],
    'the number of an earlier channel',
  ],
  [
    'a message of a channel that is not open yet',
    [Buffer.concat([encodeOpenRecord(2), encodeTestRecord(message, 2)])],
    'not open',
  ],
  ['an opening without headers', [encodeTestRecord(open, 2, 'null')], 'has no headers'],
  ['an opening that is not JSON', [encodeTestRecord(open, 2, '{')], 'has no headers'],
  ['an opening with what is no header', [encodeTestRecord(open, 2, '{"a":1}')], 'has no headers'],
  ['an opening that is too long', [encodeOpenRecord(2, { a: 'x'.repeat(16_384) })], 'too long'],
  ['an answer that only the gateway gives', [encodeTestRecord(opened, 2)], 'never opened'],
  [
    'a close code that must not be sent',
    [encodeTestRecord(close, 1, Buffer.from([0x03, 0xee]))],
    'close code',
  ],
  ['half a close code', [encodeTestRecord(close, 1, Buffer.from([3]))], 'close code'],
  [
    'a flood of openings',
    [Buffer.concat(Array.from({ length: maxChannelsPerSocket }, (_, nth) => encodeOpenRecord(2 + nth)))],
    `more than ${maxChannelsPerSocket} channels`,
  ],
];

test.each(hostile)('%s ends its socket and no other', async (_what, frames, why) => {
  const { url, connect, accepted } = await createLinkHarness(sharing);
  const other = await connect();
  const bare = await openBareSocket(url);
  bare.socket.send(encodeOpenRecord(1));
  await bare.got(opened, 1);
  const ended = closing(accepted[1] as Link);
  for (const frame of frames) bare.socket.send(frame);
  const { code, reason } = await bare.closed;
  expect([code, reason]).toEqual([1002, expect.stringContaining(why)]);
  expect((await ended).code).not.toBe(1000);
  expect([other.open, accepted[0]?.open]).toEqual([true, true]);
});

test('no sequence of records harms another socket', async () => {
  const { url, connect, runtime } = await createLinkHarness(sharing);
  const other = await connect();
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 30 }),
    fc
      .constantFrom(
        '{}',
        '[]',
        '{"Acknowledged":9}',
        '{"Refused":1}',
        'null',
        JSON.stringify(authorizedHeaders),
      )
      .map((text) => Buffer.from(text)),
  );
  const oneRecord = fc
    .tuple(
      fc.integer({ min: 0, max: 9 }),
      fc.integer({ min: 0, max: 4 }),
      content,
      fc.constantFrom(0, 0, 1, 9),
    )
    .map(([kind, channel, bytes, count]) =>
      encodeTestRecord(kind as RecordKind, channel, Buffer.from(bytes), count),
    );
  const frame = fc.oneof(
    { weight: 5, arbitrary: fc.array(oneRecord, { maxLength: 5 }).map((records) => Buffer.concat(records)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 5 }), async (frames) => {
      const bare = await openBareSocket(url);
      bare.socket.send(Buffer.concat([encodeOpenRecord(1), encodeOpenRecord(2)]));
      await bare.got(opened, 2);
      for (const bytes of frames) bare.socket.send(bytes);
      bare.socket.ping();
      await Promise.race([once(bare.socket, 'pong'), bare.closed]);
      bare.socket.terminate();
      await bare.closed;
    }),
    { seed: 20_260_101, numRuns: 150 },
  );
  expect(other.open).toBe(true);
  const warnings = runtime.journal.since().filter(({ kind }) => kind === 'warning');
  expect(warnings).toEqual([]);
});

test('a channel without the key is refused, and the others of its socket continue', async () => {
  const { url, accepted } = await createLinkHarness(sharing);
  const bare = await openBareSocket(url);
  bare.socket.send(
    Buffer.concat([
      encodeOpenRecord(1),
      encodeOpenRecord(2, { authorization: 'Bearer wrong' }),
      encodeOpenRecord(3, {}),
    ]),
  );
  await bare.got(refused, 3);
  expect(bare.received.map(({ kind, channel }) => [kind, channel])).toEqual([
    [opened, 1],
    [refused, 2],
    [refused, 3],
  ]);
  expect(JSON.parse(bare.received[1]?.content ?? '')).toEqual({ status: 401, reason: 'wrong key' });
  expect(accepted).toHaveLength(1);
  bare.socket.send(encodeTestRecord(message, 1, '{}'));
  await bare.got(message, 1);
});

test('a shared socket needs a key of its own', async () => {
  const { url } = await createLinkHarness(sharing);
  const socket = new WebSocket(`${url}/here`, [sharedSocketProtocol], {
    headers: { authorization: 'Bearer wrong' },
  });
  const [error] = await once(socket, 'error');
  expect(String(error)).toContain('401');
});

test.each([
  ['not JSON', 'hello', 1007],
  ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 1007],
  ['an empty message that acknowledges nothing', '', 1007],
])('a message that is %s closes its channel and no other', async (_what, content, code) => {
  const { url, accepted } = await createLinkHarness(sharing);
  const bare = await openBareSocket(url);
  bare.socket.send(Buffer.concat([encodeOpenRecord(1), encodeOpenRecord(2)]));
  await bare.got(opened, 2);
  const closed = closing(accepted[0] as Link);
  bare.socket.send(
    Buffer.concat([encodeTestRecord(message, 1, content), encodeTestRecord(message, 2, '{}')]),
  );
  await bare.got(close, 1);
  const said = bare.received.find(({ kind }) => kind === close);
  const codeBytes = Buffer.alloc(2);
  codeBytes.writeUInt16BE(code);
  bare.socket.send(encodeTestRecord(close, 1, codeBytes));
  expect((await closed).code).toBe(code);
  expect(said?.content).not.toBe('');
  await bare.got(message, 2);
  expect(accepted[1]?.open).toBe(true);
});

test('a channel whose close is not answered is given up, and the others continue', async () => {
  const { url, accepted } = await createLinkHarness(sharing);
  const bare = await openBareSocket(url);
  bare.socket.send(Buffer.concat([encodeOpenRecord(1), encodeOpenRecord(2)]));
  await bare.got(opened, 2);
  const closed = closing(accepted[0] as Link);
  accepted[0]?.close(closeCodes.policy, 'deleted');
  await bare.got(close, 1);
  expect((await closed).code).toBe(1006);
  bare.socket.send(encodeTestRecord(message, 1, '{}')); // this record comes too late, because its channel has ended
  bare.socket.send(encodeTestRecord(message, 2, '{}'));
  await bare.got(message, 2);
});

test('messages of one turn are sent in one frame, together with acknowledgements', async () => {
  const { url, accepted } = await createLinkHarness(sharing, (json) => {
    if ((json as { ask?: true }).ask) for (const link of accepted) link.send('{"answer":true}');
  });
  const bare = await openBareSocket(url);
  bare.socket.send(Buffer.concat([encodeOpenRecord(1), encodeOpenRecord(2)]));
  await bare.got(opened, 2);
  bare.frames.length = 0;
  bare.socket.send(
    Buffer.concat([
      encodeTestRecord(message, 1, '{}'),
      encodeTestRecord(message, 1, '{}'),
      encodeTestRecord(message, 2, '{"ask":true}'),
    ]),
  );
  await expect.poll(() => bare.received.filter(({ kind }) => kind === message).length).toBe(3);
  expect(bare.frames).toHaveLength(1);
  expect(bare.received.filter(({ kind }) => kind === message)).toEqual([
    { kind: message, channel: 1, acknowledged: 2, content: '{"answer":true}' },
    { kind: message, channel: 2, acknowledged: 0, content: '{"answer":true}' },
    { kind: message, channel: 2, acknowledged: 1, content: '' },
  ]);
});

test('a frame stays below 1 MiB if its messages do', async () => {
  const { url, accepted } = await createLinkHarness(sharing);
  const bare = await openBareSocket(url);
  bare.socket.send(encodeOpenRecord(1));
  await bare.got(opened, 1);
  bare.frames.length = 0;
  for (const size of [500_000, 500_000, 500_000, 1_500_000, 10])
    accepted[0]?.send(JSON.stringify('x'.repeat(size - 2)));
  await expect.poll(() => bare.received.filter(({ kind }) => kind === message).length).toBe(5);
  expect(bare.frames).toEqual([1_000_026, 500_013, 1_500_013, 23]);
});

test('a process that does not read loses its links, and its waiting data is limited', async () => {
  const { url, accepted } = await createLinkHarness(sharing);
  const bare = await openBareSocket(url);
  bare.socket.send(Buffer.concat(Array.from({ length: 20 }, (_, nth) => encodeOpenRecord(1 + nth))));
  await bare.got(opened, 20);
  bare.socket.pause();
  const ends = Promise.all(accepted.map(closing));
  let sent = 0;
  const flood = () => {
    for (const link of accepted.filter((one) => one.open)) {
      link.send(JSON.stringify('x'.repeat(1_000_000)));
      sent++;
    }
    if (accepted.some((link) => link.open)) setImmediate(flood);
  };
  flood();
  expect(new Set((await ends).map(({ code }) => code))).toEqual(new Set([closeCodes.silent]));
  expect(sent).toBeLessThan(110); // 64 MB wait in the gateway, and the socket's own buffers hold the other bytes
});

test('when the socket ends, each of its links ends as on a socket of its own', async () => {
  const { url, accepted } = await createLinkHarness(sharing);
  const bare = await openBareSocket(url);
  bare.socket.send(Buffer.concat([encodeOpenRecord(1), encodeOpenRecord(2)]));
  await bare.got(opened, 2);
  const ends = Promise.all(accepted.map(closing));
  bare.socket.terminate();
  expect((await ends).map(({ code }) => code)).toEqual([1006, 1006]);
});

test('a socket on which no link is opened is closed', async () => {
  const runtime = createRuntime({ timeouts: { acknowledgeMs: 20 } });
  const { url } = await createLinkHarness(sharing, () => {}, runtime);
  const bare = await openBareSocket(url);
  expect((await bare.closed).code).toBe(1000);
});

test('at most 256 terminals share a socket, and one that ends makes room (B165)', async () => {
  const { connect, connections, accepted } = await createLinkHarness(sharing);
  const links = await Promise.all(Array.from({ length: maxChannelsPerSocket + 44 }, () => connect()));
  expect([accepted.length, await connections()]).toEqual([300, 2]);
  links[0]?.fail(closeCodes.goingAway, 'power');
  await Promise.all([connect(), connect()]);
  expect(await connections()).toBe(2);
});

test('only the dial with a wrong key is refused', async () => {
  const { connect, connections } = await createLinkHarness(sharing);
  const dialled = await Promise.allSettled([
    connect(undefined, 'wrong'),
    connect(),
    connect(undefined, 'wrong'),
  ]);
  expect(dialled.map((one) => (one.status === 'fulfilled' ? 'open' : one.reason.status))).toEqual([
    401,
    'open',
    401,
  ]);
  expect(await connections()).toBe(1);
});

test('no link is opened on a socket whose other end may be gone', async () => {
  const { connect, connections, accepted, settled } = await createLinkHarness(sharing);
  const [first, second] = await Promise.all([connect(), connect()]);
  accepted[0]?.cut();
  first?.ping();
  await settled();
  first?.ping();
  expect(first?.open).toBe(false);
  await connect();
  expect([second?.open, await connections()]).toEqual([true, 2]);
  second?.close();
  await expect.poll(connections).toBe(1);
});

test('the socket ends with its last link', async () => {
  const { connect, connections } = await createLinkHarness(sharing);
  const links = await Promise.all([connect(), connect()]);
  links[0]?.close();
  links[1]?.fail(closeCodes.goingAway, 'power');
  await expect.poll(connections).toBe(0);
});

test('a single terminal, and one whose gateway does not share, has its own socket', async () => {
  let count = 1;
  const alone = (runtime: ReturnType<typeof createRuntime>) => {
    const sockets = new SharedLinkDialer(runtime, () => count > 1);
    return (...args: Parameters<SharedLinkDialer['dial']>) => sockets.dial(...args);
  };
  const { connect, connections, linkServer } = await createLinkHarness(alone);
  await connect();
  count = 3;
  await Promise.all([connect(), connect()]);
  expect(await connections()).toBe(2);
  linkServer.serve('/here', { admit: async () => ({}), connected: () => {} });
  const { connect: elsewhere, connections: there, linkServer: unsharing } = await createLinkHarness(alone);
  unsharing.serve('/here', { admit: async () => ({}), connected: () => {} });
  await Promise.all([elsewhere(), elsewhere()]);
  await expect.poll(there).toBe(2);
});

test('a gateway that chooses no protocol gets separate sockets', async () => {
  const runtime = createRuntime();
  const server = createServer();
  const sockets = new WebSocketServer({ server, handleProtocols: () => false });
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/poi`;
  const shared = new SharedLinkDialer(runtime, () => true);
  const links = await Promise.all([1, 2].map(() => shared.dial({ url, headers: {} }, () => {})));
  expect(links.map(({ open: isOpen }) => isOpen)).toEqual([true, true]);
});

test('an end without a handshake is reported in a later turn, as an ordinary socket does', async () => {
  const { realClock, timeouts } = createRuntime();
  const carrier = { overfull: false, put() {}, atTurnEnd() {}, forget() {} };
  const channel = new Channel(1, carrier, { realClock, lingerMs: timeouts.lingerMs });
  let code = 0;
  channel.on('close', ((closed: number) => {
    code = closed;
  }) as never);
  channel.terminate();
  expect(code).toBe(0);
  await new Promise((resolve) => setImmediate(resolve));
  expect(code).toBe(1006);
});

test('a message that is too large for any frame is not put into a frame', async () => {
  const { connect, accepted } = await createLinkHarness(sharing);
  const [one, other] = await Promise.all([connect(), connect()]);
  const closed = closing(one as Link);
  one?.send(JSON.stringify('€'.repeat(largestFrameBytes / 3 + 1)));
  expect((await closed).code).toBe(1009);
  expect([other?.open, accepted[1]?.open]).toEqual([true, true]);
});

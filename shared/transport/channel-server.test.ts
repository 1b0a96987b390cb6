import { EventEmitter } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { testThoroughly } from '../../test/optional-programs.ts';
import { createRuntime } from '../create-runtime.ts';
import {
  authorizedHeaders,
  encodeOpenRecord,
  encodeTestRecord,
  openBareSocket,
} from './bare-socket.fixture.ts';
import type { Channel } from './channel.ts';
import { type ChannelRefusal, ChannelServer } from './channel-server.ts';
import { createLinkHarness, linkDialers } from './link-harness.fixture.ts';
import { recordKinds } from './records.ts';

const testInCi = testThoroughly();

const sharing = linkDialers[1]?.[1] as (typeof linkDialers)[number][1];
const wrong = { authorization: 'Bearer wrong' };
const { opened, close, reset } = recordKinds;
const longReason = Buffer.concat([Buffer.from([0x03, 0xe8]), Buffer.alloc(120, 'x')]);

const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Makes a ChannelServer whose other end reads nothing. `admit` gets the headers of the request to open a channel. It
 * returns a refusal, or the function that uses the channel.
 */
function unreadSocket(
  admit: (headers: Record<string, string>) => ChannelRefusal | ((channel: Channel) => void),
) {
  const kept: unknown[] = [];
  const ends = { cut: 0, reported: 0 };
  const wire = Object.assign(new EventEmitter(), {
    send: (...frame: unknown[]) => kept.push(frame),
    pong: (...pong: unknown[]) => kept.push(pong),
    close: () => {},
    whenCut: () => {},
    terminate: () => {
      ends.cut++;
      wire.whenCut();
      setImmediate(() => wire.emit('close', 1006, Buffer.alloc(0)));
    },
  });
  const server = new ChannelServer(
    wire,
    createRuntime(),
    async (headers) => admit(headers),
    () => ends.reported++,
  );
  const says = async (...records: Buffer[]) => {
    wire.emit('message', Buffer.concat(records), true);
    // within these turns of the event loop, the server accepts or refuses the channels, and sends its answers
    for (let turns = 0; turns < 3; turns++) await turn();
  };
  return { wire, server, says, ends, kept };
}

testInCi('a process that has channels refused and reads nothing loses its socket (B192)', async () => {
  const { url, linkServer, connections } = await createLinkHarness(sharing);
  let asked = 0;
  linkServer.serve('/here', {
    sharedBy: () => 'me',
    admit: async ({ headers }) => {
      if (headers.authorization === authorizedHeaders.authorization) return {};
      asked++;
      return { refuse: 401, reason: 'x'.repeat(100_000) };
    },
    connected: () => {},
  });
  const bare = await openBareSocket(url);
  bare.socket.pause();
  const over = async () => (await connections()) === 0;
  let channels = 0;
  while (channels < 1_000 && !(await over())) {
    bare.socket.send(Buffer.concat(Array.from({ length: 50 }, () => encodeOpenRecord(++channels, wrong))));
    await expect.poll(async () => asked >= channels || (await over()), { interval: 1 }).toBe(true);
  }
  await expect.poll(over).toBe(true);
  expect(asked).toBeGreaterThan(64_000_000 / 100_000);
  expect(asked).toBeLessThan(800); // the answers beyond the limit of 64 MB are in the buffers of the operating system
});

const small: [string, (says: ReturnType<typeof unreadSocket>, from: number) => Promise<void>][] = [
  [
    'refusals',
    ({ says }, from) => says(...Array.from({ length: 250 }, (_, nth) => encodeOpenRecord(from + nth, wrong))),
  ],
  [
    'answers to a close',
    async ({ says }, from) => {
      await says(...Array.from({ length: 250 }, (_, nth) => encodeOpenRecord(from + nth)));
      await says(...Array.from({ length: 250 }, (_, nth) => encodeTestRecord(close, from + nth, longReason)));
    },
  ],
  [
    'resets',
    ({ says }, from) =>
      says(...Array.from({ length: 250 }, (_, nth) => encodeOpenRecord(from + nth, { reset: 'please' }))),
  ],
  [
    'answers to pings',
    async ({ wire }) => {
      for (let nth = 0; nth < 250; nth++) wire.emit('ping', Buffer.alloc(125));
    },
  ],
];

test.each(small)(
  '%s that are not read count together with everything that waits on the socket (B192)',
  async (_what, wave) => {
    const unread = unreadSocket(({ authorization, fill, reset: wanted }) => {
      if (wanted) return (channel) => channel.terminate();
      if (authorization === authorizedHeaders.authorization) return () => {};
      return { refuse: 401, reason: 'x'.repeat(Number(fill ?? 9)) };
    });
    await unread.says(encodeOpenRecord(1, { fill: '63000000' }));
    expect(unread.ends.cut).toBe(0);
    let channels = 2;
    for (; channels < 20_000 && unread.ends.cut === 0; channels += 250) await wave(unread, channels);
    expect(unread.ends.cut).toBe(1);
  },
);

test('a socket that is cut off sends nothing more, and its links end with the reason once it has ended (B192)', async () => {
  const closes: unknown[] = [];
  const channels: Channel[] = [];
  const { says, wire, ends } = unreadSocket(({ fill }) =>
    fill === undefined
      ? (channel) => {
          channel.on('close', ((code: number, reason: Buffer) => closes.push([code, `${reason}`])) as never);
          channels.push(channel);
        }
      : { refuse: 401, reason: 'x'.repeat(Number(fill)) },
  );
  await says(encodeOpenRecord(1), encodeOpenRecord(2));
  wire.whenCut = () => {
    for (const channel of channels) channel.send('{}');
    wire.emit('message', encodeOpenRecord(4), true);
    wire.emit('ping', Buffer.alloc(0));
    expect([closes, channels[0]?.bufferedAmount, ends]).toEqual([[], 13, { cut: 1, reported: 0 }]);
  };
  await says(encodeOpenRecord(3, { fill: '65000000' }));
  await turn();
  await turn();
  const reason = 'the other end does not read';
  expect(closes).toEqual([
    [4003, reason],
    [4003, reason],
  ]);
  expect([channels.length, ends]).toEqual([2, { cut: 1, reported: 1 }]);
});

test('a socket that breaks the protocol ends once, and then sends and accepts nothing', async () => {
  const channels: Channel[] = [];
  const { says, wire, ends, kept } = unreadSocket(() => (channel) => channels.push(channel));
  await says(encodeOpenRecord(1));
  const [said] = [kept.length];
  wire.emit('message', 'a text', false);
  wire.emit('message', encodeOpenRecord(2), true);
  wire.emit('ping', Buffer.alloc(0));
  wire.emit('close', 1006, Buffer.alloc(0));
  await turn();
  await turn();
  expect([ends.reported, channels.length, kept.length]).toEqual([1, 1, said]);
});

test('a frame takes more memory than its content, and all of it counts (B192)', async () => {
  const { says, ends } = unreadSocket(({ fill }) => ({ refuse: 401, reason: 'x'.repeat(Number(fill ?? 1)) }));
  await says(encodeOpenRecord(1, { fill: '60000000' }));
  let channels = 1;
  // Only one channel is opened at a time, so that each refusal has its own frame.
  while (channels < 10_000 && ends.cut === 0) await says(encodeOpenRecord(++channels));
  expect(ends.cut).toBe(1);
  expect(channels).toBeGreaterThan(3_000);
});

test('when the gateway ends, a shared socket without links is cut off too', async () => {
  const { url, linkServer } = await createLinkHarness(sharing);
  const bare = await openBareSocket(url);
  linkServer.terminate();
  expect((await bare.closed).code).toBe(1006);
});

test('a frame that waits to be read keeps no channel in memory (B192)', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const channels: WeakRef<Channel>[] = [];
  const { says } = unreadSocket(() => (channel) => channels.push(new WeakRef(channel)));
  await says(encodeOpenRecord(1), encodeOpenRecord(2));
  await says(encodeTestRecord(close, 1, longReason));
  for (let nth = 0; nth < 3; nth++) await turn();
  collect();
  expect(channels.map((channel) => channel.deref()?.id)).toEqual([undefined, 2]);
});

test('a channel that is given up before it opens is never handed over, so it displaces no link', async () => {
  const { url, accepted } = await createLinkHarness(sharing);
  const bare = await openBareSocket(url);
  bare.socket.send(Buffer.concat([encodeOpenRecord(1), encodeTestRecord(reset, 1), encodeOpenRecord(2)]));
  await bare.got(opened, 2);
  expect(bare.received).toMatchObject([{ kind: opened, channel: 2 }]);
  expect(accepted).toHaveLength(1);
});

test('a channel that is given up before it is refused is not answered', async () => {
  const { url } = await createLinkHarness(sharing);
  const bare = await openBareSocket(url);
  bare.socket.send(
    Buffer.concat([encodeOpenRecord(1, wrong), encodeTestRecord(reset, 1), encodeOpenRecord(2)]),
  );
  await bare.got(opened, 2);
  expect(bare.received).toMatchObject([{ kind: opened, channel: 2 }]);
});

import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { closeCodes } from './link.ts';
import { createLinkHarness, linkDialers } from './link-harness.fixture.ts';
import { DedicatedSocket } from './single-link-socket.ts';

const onItsOwn = linkDialers[0]?.[1] as (typeof linkDialers)[number][1];

test('an end that pings and reads nothing is cut off before the answers exceed their limit (B192)', async () => {
  const { url, accepted } = await createLinkHarness(onItsOwn, () => 'handled' as never);
  const socket = new WebSocket(`${url}/here`, { headers: { authorization: 'Bearer right' } });
  await once(socket, 'open');
  socket.pause();
  const ended = new Promise<number>((resolve) => accepted[0]?.onClosed(resolve));
  const handled = new Promise<string>((resolve) => accepted[0]?.handle(() => resolve('all were answered')));
  // The answers to these pings take 12 MB. The first of these answers fit into the buffers of the operating system.
  for (let pings = 0; pings < 100_000; pings++) socket.ping(Buffer.alloc(122));
  socket.send('{}');
  expect(await Promise.race([ended, handled])).toBe(closeCodes.silent);
  socket.terminate();
});

test('a waiting answer to a ping keeps nothing else of the received data in memory', () => {
  const pongs: Buffer[] = [];
  const nothing = () => {};
  const wire = {
    bufferedAmount: 0,
    send: nothing,
    ping: nothing,
    close: nothing,
    terminate: nothing,
    on: nothing,
  };
  const chunk = Buffer.alloc(60_000, 'x');
  new DedicatedSocket({ ...wire, pong: (data) => pongs.push(data) }).pong(chunk.subarray(2, 6));
  expect([String(pongs[0]), pongs[0]?.buffer.byteLength]).toEqual(['xxxx', 4]);
});

import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  authorizedHeaders,
  encodeOpenRecord,
  encodeTestRecord,
  openBareSocket,
} from './bare-socket.fixture.ts';
import { maxConnectionsPerKey } from './connections-by-key.ts';
import { createLinkHarness, linkDialers } from './link-harness.fixture.ts';
import { recordKinds } from './records.ts';

const sharing = linkDialers[1]?.[1] as (typeof linkDialers)[number][1];
const { opened, message } = recordKinds;
const keyOf = (name: string) => ({ ...authorizedHeaders, 'pinpad-poi': name });

/** Opens shared sockets with the same key, and a link on each. */
async function socketsInUse(url: string, count = maxConnectionsPerKey) {
  const sockets = [];
  for (let nth = 0; nth < count; nth++) {
    const bare = await openBareSocket(url, keyOf('mine'));
    bare.socket.send(encodeOpenRecord(1));
    await bare.got(opened, 1);
    sockets.push(bare);
  }
  return sockets;
}

type Bare = Awaited<ReturnType<typeof openBareSocket>>;
const isOpen = ({ socket }: Bare) => socket.readyState === WebSocket.OPEN;

test('a fifth shared socket of a key ends the one that is unused longest (B193)', async () => {
  const { url } = await createLinkHarness(sharing);
  const another = await openBareSocket(url, keyOf('another'));
  const sockets = await socketsInUse(url);
  for (const nth of [1, 0, 3, 2]) {
    sockets[nth]?.socket.send(encodeTestRecord(message, 1, '{}'));
    await sockets[nth]?.got(message, 1); // waits until the message is acknowledged
  }
  const fifth = await openBareSocket(url, keyOf('mine'));
  expect((await sockets[1]?.closed)?.code).toBe(1008);
  expect([...sockets, fifth, another].map(isOpen)).toEqual([true, false, true, true, true, true]);
});

test('a shared socket without a link ends before one with links, however old that is (B193)', async () => {
  const { url } = await createLinkHarness(sharing);
  const sockets = await socketsInUse(url, maxConnectionsPerKey - 1);
  const unused = await openBareSocket(url, keyOf('mine'));
  const newest = await openBareSocket(url, keyOf('mine'));
  expect((await unused.closed).code).toBe(1008);
  expect([...sockets, newest].map(isOpen)).toEqual([true, true, true, true]);
});

test('a shared socket that ended makes room for another (B193)', async () => {
  const { url, connections } = await createLinkHarness(sharing);
  const sockets = await socketsInUse(url);
  sockets[3]?.socket.terminate();
  await expect.poll(connections).toBe(3);
  const newest = await openBareSocket(url, keyOf('mine'));
  newest.socket.send(encodeOpenRecord(1));
  await newest.got(opened, 1);
  expect([...sockets, newest].map(isOpen)).toEqual([true, true, true, false, true]);
});

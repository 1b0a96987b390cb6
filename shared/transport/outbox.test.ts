import { expect, test } from 'vitest';
import { copyToOwnBuffer, FrameOutbox } from './outbox.ts';

type Written = (error?: Error) => void;

/** Makes a socket that writes a frame only when the test asks for it. */
function slowSocket() {
  const outbox = new FrameOutbox();
  const given: [number, Written][] = [];
  const put = (nth: number, written?: () => void) =>
    outbox.put(10, (done) => given.push([nth, done]), written);
  return { outbox, given, put };
}

test('at most 64 frames are given to the socket at once, and the others follow in their order', () => {
  const { given, put, outbox } = slowSocket();
  for (let nth = 0; nth < 200; nth++) put(nth);
  expect([given.length, outbox.behind]).toEqual([64, true]);
  for (let nth = 0; nth < 200; nth++) given[nth]?.[1]();
  expect(given.map(([nth]) => nth)).toEqual(Array.from({ length: 200 }, (_, nth) => nth));
  expect([outbox.bytes, outbox.behind]).toEqual([0, false]);
  put(200);
  expect(given.at(-1)?.[0]).toBe(200);
});

test('a frame counts as a kilobyte more than its content until it is written', () => {
  const { outbox, given, put } = slowSocket();
  const written: number[] = [];
  for (const nth of [0, 1]) put(nth, () => written.push(nth));
  expect(outbox.bytes).toBe(2 * (10 + 1_024));
  given[0]?.[1]();
  expect([outbox.bytes, written]).toEqual([10 + 1_024, [0]]);
});

test('before a socket closes it gets everything that waits, in order', () => {
  const { outbox, given, put } = slowSocket();
  for (let nth = 0; nth < 100; nth++) put(nth);
  outbox.empty();
  expect(given.map(([nth]) => nth)).toEqual(Array.from({ length: 100 }, (_, nth) => nth));
  for (const [, written] of given.slice()) written();
  expect([given.length, outbox.bytes]).toEqual([100, 0]);
});

test('a socket that can no longer write gets nothing', () => {
  const { given, put } = slowSocket();
  for (let nth = 0; nth < 100; nth++) put(nth);
  for (const [, written] of given.slice()) written(new Error('it is closed'));
  expect(given).toHaveLength(64);
});

test('a copied frame keeps no other memory from being freed', () => {
  const chunk = Buffer.from('-ping-'.repeat(1_000));
  const copy = copyToOwnBuffer(chunk.subarray(1, 5));
  expect([copy.toString(), copy.buffer.byteLength]).toEqual(['ping', 4]);
});

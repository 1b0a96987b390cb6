import dns from 'node:dns';
import { createServer, type Server, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ByteTransport, TransportClosedError } from '../reader-driver.ts';
import { createMemoryLine } from './memory-transport.fixture.ts';
import { openTcpTransport, SocketTransport } from './tcp-transport.ts';

async function tcpLine(): Promise<[ByteTransport, ByteTransport]> {
  const server = createServer();
  onTestFinished(() => void server.close());
  const port = await listening(server);
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const host = await openTcpTransport('127.0.0.1', port, new AbortController().signal);
  return [host, new SocketTransport(await accepted, 'device')];
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    }),
  );
}

const lines: [string, () => Promise<[ByteTransport, ByteTransport]>][] = [
  ['a line in memory', async () => createMemoryLine()],
  ['a line over TCP', tcpLine],
];

test.each(lines)('%s carries all 256 byte values in both directions, in order', async (_name, line) => {
  const [host, device] = await line();
  const all = Uint8Array.from({ length: 256 }, (_, at) => at);
  for (const [from, to] of [[host, device] as const, [device, host] as const]) {
    const received: number[] = [];
    const whole = new Promise<void>((resolve) => {
      const off = to.onData((bytes) => {
        received.push(...bytes);
        if (received.length < 256) return;
        off();
        resolve();
      });
    });
    await from.write(all.subarray(0, 100));
    await from.write(all.subarray(100));
    await whole;
    expect(received).toEqual([...all]);
  }
  await host.close();
  await closed(device);
});

test.each(lines)(
  '%s that one end closes is closed at both ends, once, and accepts no more bytes',
  async (_name, line) => {
    const [host, device] = await line();
    const reasons: string[] = [];
    host.onClosed((why) => reasons.push(why));
    const hostClosed = closed(host);
    await device.close();
    await hostClosed;
    await host.close();
    expect(reasons).toEqual(['the other end closed']);
    await expect(host.write(Uint8Array.of(1))).rejects.toBeInstanceOf(TransportClosedError);
    await expect(device.write(Uint8Array.of(1))).rejects.toBeInstanceOf(TransportClosedError);
    expect(await closed(host)).toBe('the other end closed');
  },
);

test.each(lines)('%s no longer calls a listener that was removed', async (_name, line) => {
  const [host, device] = await line();
  let received = 0;
  const off = host.onData(() => received++);
  const offClosed = host.onClosed(() => received++);
  off();
  offClosed();
  const seen = new Promise<void>((resolve) => void host.onData(() => resolve()));
  await device.write(Uint8Array.of(1));
  await seen;
  const hostClosed = closed(host);
  await device.close();
  await hostClosed;
  expect(received).toBe(0);
});

test('if nothing listens, the error of opening says so and what to do', async () => {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  await expect(openTcpTransport('127.0.0.1', port, new AbortController().signal)).rejects.toMatchObject({
    code: 'NO_PORT',
    message: `tcp:127.0.0.1:${port}: nothing listens there. Is the serial server running?`,
  });
});

test('if no host has the name, the error of opening says so (B528)', async () => {
  lookUpAs(Object.assign(new Error('getaddrinfo ENOTFOUND no-such-host.test'), { code: 'ENOTFOUND' }), []);
  await expect(
    openTcpTransport('no-such-host.test', 4_000, new AbortController().signal),
  ).rejects.toMatchObject({
    code: 'NO_PORT',
    message: 'tcp:no-such-host.test:4000: there is no host of this name. Is the name spelled correctly?',
  });
});

test('if a host cannot be reached at any of its addresses, the error of opening gives each reason (B528)', async () => {
  // A connection to a broadcast or multicast address cannot be opened.
  lookUpAs(null, ['255.255.255.255', '224.0.0.1']);
  await expect(openTcpTransport('two.test', 4_000, new AbortController().signal)).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringMatching(/^tcp:two\.test:4000: .*255\.255\.255\.255:4000.*, .*224\.0\.0\.1:4000/),
  });
});

test('an opening can be aborted', async () => {
  const abort = new AbortController();
  const opening = openTcpTransport('192.0.2.1', 4_000, abort.signal);
  abort.abort();
  await expect(opening).rejects.toMatchObject({ code: 'FAILED' });
});

/** Answers every lookup of a host name with an error or with addresses, as the network's name server would. */
function lookUpAs(error: Error | null, addresses: string[]): void {
  const lookup = vi.spyOn(dns, 'lookup');
  onTestFinished(() => lookup.mockRestore());
  const answer = addresses.map((address) => ({ address, family: 4 }));
  lookup.mockImplementation(((_host: string, _options: object, answered: (...of: unknown[]) => void) =>
    answered(error, answer)) as never);
}

function closed(transport: ByteTransport): Promise<string> {
  return new Promise((resolve) => void transport.onClosed(resolve));
}

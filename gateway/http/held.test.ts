import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { until } from '../../test/until.ts';
import { defineEndpoint, HungUpError, ShuttingDownError } from './endpoint.ts';
import { commonEndpointParts, openTestServer, sendRawText } from './server.fixture.ts';

test('a handler is notified when its client hangs up, and the journal says so', async () => {
  const seen = Promise.withResolvers<unknown>();
  const started = Promise.withResolvers<void>();
  const held = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /held',
    guard: 'token',
    handle: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          seen.resolve(signal.reason);
          reject(signal.reason);
        });
        started.resolve();
      }),
  });
  const { send, journal } = await openTestServer({ endpoints: [held] });
  const client = new AbortController();
  const response = send('/held', { signal: client.signal });
  await started.promise;
  client.abort();
  await expect(response).rejects.toThrow();
  expect(await seen.promise).toBeInstanceOf(HungUpError);
  await send('/nowhere');
  expect(journal('http.hungUp')).toHaveLength(1);
  expect(journal('warning')).toHaveLength(0);
});

test('on close, held calls are notified, new calls are answered 503, and the server ends', async () => {
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const held = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /held',
    guard: 'token',
    handle: async ({ signal }) => {
      started.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await release.promise;
      return { status: 303, body: { stopped: signal.reason instanceof ShuttingDownError } };
    },
  });
  const { send, server, url } = await openTestServer({
    endpoints: [held],
    // Although this limit is an hour, the server closes right after its last answer.
    runtime: { timeouts: { shutdownMs: 3_600_000 } },
  });
  const response = send('/held');
  await started.promise;
  const closed = server.close();
  const late = await send('/open');
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
  expect(late.headers.get('connection')).toBe('close');
  release.resolve();
  expect((await response).status).toBe(303);
  expect(await (await response).json()).toEqual({ stopped: true });
  await closed;
  await expect(fetch(url)).rejects.toThrow();
});

test('a held call that passes on the error of the shutdown answers 503', async () => {
  const started = Promise.withResolvers<void>();
  const held = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /held',
    guard: 'token',
    handle: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        started.resolve();
      }),
  });
  const { send, server } = await openTestServer({ endpoints: [held] });
  const response = send('/held');
  await started.promise;
  await server.close();
  expect(await (await response).json()).toMatchObject({ error: 'unavailable' });
});

test("a call that does not end within the shutdown's time limit is cut off", async () => {
  const started = Promise.withResolvers<void>();
  const stuck = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /stuck',
    guard: 'token',
    handle: () => {
      started.resolve();
      return new Promise(() => {});
    },
  });
  const { send, server } = await openTestServer({
    endpoints: [stuck],
    runtime: { timeouts: { shutdownMs: 1 } },
  });
  const response = send('/stuck');
  const failed = expect(response).rejects.toThrow();
  await started.promise;
  await server.close();
  await failed;
});

test('requests that wait for an earlier answer on their connection are cut off', async () => {
  const received: string[] = [];
  const both = Promise.withResolvers<void>();
  const stuck = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /stuck',
    guard: 'token',
    handle: () => {
      if (received.push('/stuck') === 2) both.resolve();
      return new Promise(() => {});
    },
  });
  const { server, port } = await openTestServer({
    endpoints: [stuck],
    runtime: { timeouts: { shutdownMs: 1 } },
  });
  const request = 'GET /stuck HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sandbox-token\r\n\r\n';
  const answer = sendRawText(port, request + request);
  await both.promise;
  await server.close();
  expect(await answer).toBe('');
});

test('a stream continues until its client leaves or the gateway shuts down', async () => {
  const stream = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /stream',
    guard: 'token',
    handle: async () => ({
      status: 200,
      headers: { 'Content-Type': 'text/event-stream' },
      stream: async ({ write }, signal) => {
        write('data: 1\n\n');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        write('data: 2\n\n');
      },
    }),
  });
  const { send, server } = await openTestServer({ endpoints: [stream] });
  const response = await send('/stream');
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reader = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  expect((await reader.read()).value).toBe('data: 1\n\n');
  const closed = server.close();
  expect((await reader.read()).value).toBe('data: 2\n\n');
  expect((await reader.read()).done).toBe(true);
  await closed;
});

test('a stream whose client does not read is cut off', async () => {
  const ended = Promise.withResolvers<unknown>();
  const flood = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /flood',
    guard: 'token',
    handle: async () => ({
      status: 200,
      stream: async ({ write }, signal) => {
        signal.addEventListener('abort', () => ended.resolve(signal.reason));
        while (!signal.aborted) {
          write('x'.repeat(500_000));
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    }),
  });
  const { port } = await openTestServer({ endpoints: [flood] });
  const socket = connect(port, '127.0.0.1', () => {
    socket.pause();
    socket.write('GET /flood HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sandbox-token\r\n\r\n');
  });
  expect(await ended.promise).toBeInstanceOf(HungUpError);
  socket.destroy();
});

test('virtual time stands still while a request is handled, and moves while it waits', async () => {
  const held = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /held',
    guard: 'token',
    handle: async (call) => {
      const resume = call.park();
      await new Promise<void>((resolve) => runtime.clock.setTimeout(resolve, 150_000));
      resume();
      return { status: 303 };
    },
  });
  const { send, runtime } = await openTestServer({ endpoints: [held], runtime: { clock: 'virtual' } });
  const clock = runtime.clock as VirtualClock;
  const before = clock.now();
  const response = send('/held');
  await until('the request waits for the clock', () => clock.nextDue() !== undefined);
  await clock.advance(150_000);
  expect((await response).status).toBe(303);
  expect(clock.now() - before).toBe(150_000);
  await clock.inFlight.settled();
  expect(clock.inFlight.idle).toBe(true);
});

import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createRuntime, type RuntimeOptions } from '../../shared/create-runtime.ts';
import { StartError } from '../../shared/start-error.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { type AnyEndpoint, type Call, endpoint, HungUp, ShuttingDown } from './endpoint.ts';
import { ApiError } from './errors.ts';
import { HttpServer, type HttpServerOptions } from './server.ts';

const uuid = '0191d8f0-0000-7000-8000-000000000001';
const callers = {
  'Bearer sandbox-token': { tokenId: 't1', accountId: 'a', environment: 'sandbox' },
  'Bearer production-token': { tokenId: 't2', accountId: 'a', environment: 'production' },
} as const;

type AnyCall = Call<unknown, unknown, unknown, unknown>;
const common = { tag: 'Things', summary: 's', operationId: 'o', responses: { 200: { description: 'd' } } };

const open: HttpServer[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

async function setup(
  more: {
    endpoints?: AnyEndpoint[];
    runtime?: RuntimeOptions;
    rateLimit?: HttpServerOptions['rateLimit'];
  } = {},
) {
  const runtime = createRuntime({ seed: 1, ...more.runtime });
  const calls: AnyCall[] = [];
  const thing = endpoint({
    ...common,
    method: 'post',
    path: '/things/{thingId}',
    guard: 'token',
    sandboxOnly: true,
    params: z.object({ thingId: z.uuid() }),
    query: z.object({ limit: z.coerce.number().int().min(1).optional() }),
    headers: z.object({ 'idempotency-key': z.string().max(5).optional() }),
    body: z.object({ amount: z.number(), tip: z.object({ percent: z.number() }).optional() }),
    handle: async (call) => {
      calls.push(call as unknown as AnyCall);
      return { status: 201, body: { got: call.body, caller: call.caller.tokenId } };
    },
  });
  const opened = endpoint({
    ...common,
    method: 'get',
    path: '/open',
    guard: 'open',
    handle: async () => ({ status: 200, text: '{"prepared":true}' }),
  });
  const control = endpoint({
    ...common,
    method: 'get',
    path: '/control/things',
    guard: 'control',
    handle: async () => ({ status: 200, body: [] }),
  });
  const server = new HttpServer(
    {
      endpoints: [thing, opened, control, ...(more.endpoints ?? [])],
      authenticate: async (header) => callers[header as keyof typeof callers],
      controlToken: 'the-control-token',
      rateLimit: more.rateLimit,
    },
    runtime,
  );
  open.push(server);
  const { url, port } = await server.listen('127.0.0.1', 0);
  const send = (path: string, init: RequestInit & { token?: string } = {}) =>
    fetch(url + path, {
      ...init,
      headers: { Authorization: `Bearer ${init.token ?? 'sandbox-token'}`, ...init.headers },
    });
  const post = (body: string | Uint8Array, headers: Record<string, string> = {}, path = `/things/${uuid}`) =>
    send(path, {
      method: 'POST',
      body: body as string,
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  const journal = (kind: string) => runtime.journal.since().filter((entry) => entry.kind === kind);
  return { runtime, server, calls, url, port, send, post, journal };
}

/** Writes bytes on a bare socket and gives all that comes back until the other side ends. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

test('answers a good request with what the handler gives', async () => {
  const { post } = await setup();
  const response = await post('{"amount":1}');
  expect(response.status).toBe(201);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('etag')).toBeNull();
  expect(response.headers.get('x-powered-by')).toBeNull();
  expect(await response.json()).toEqual({ got: { amount: 1 }, caller: 't1' });
});

test('sends prepared text as it is', async () => {
  const { url } = await setup();
  const response = await fetch(`${url}/open`);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.text()).toBe('{"prepared":true}');
});

test.each([
  ['no token, whatever else is wrong', '/nowhere', 'PATCH', { Authorization: '' }, '', 401, 'unauthorized'],
  ['a route that does not exist', '/nowhere', 'PATCH', {}, '', 404, 'routeNotFound'],
  ['a route with another case', `/Things/${uuid}`, 'POST', {}, '', 404, 'routeNotFound'],
  ['a method the route does not have', '/things/x', 'PATCH', {}, '{', 405, 'methodNotAllowed'],
  [
    'production, before the body is looked at',
    '/things/x',
    'POST',
    { Authorization: 'Bearer production-token' },
    '{',
    501,
    'notImplemented',
  ],
  [
    'another content type, before its size',
    '/things/x',
    'POST',
    { 'Content-Type': 'text/plain' },
    'x'.repeat(200_000),
    415,
    'unsupportedMediaType',
  ],
  [
    'a body too large, before its content',
    '/things/x',
    'POST',
    {},
    '['.repeat(200_000),
    413,
    'payloadTooLarge',
  ],
  ['a body that is not JSON, before the fields', '/things/x', 'POST', {}, '{"amount"', 400, 'invalidJson'],
  ['fields at fault', '/things/x', 'POST', {}, '{"amount":"1"}', 400, 'invalidRequest'],
])('refuses %s', async (_name, path, method, headers, body, status, error) => {
  const { send } = await setup();
  const response = await send(path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body && { body }),
  });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error, message: expect.any(String) });
});

test('names every field at fault once, of path, query, headers and body', async () => {
  const { post } = await setup();
  const response = await post(
    '{"amount":"x","tip":{}}',
    { 'Idempotency-Key': 'too long' },
    '/things/not-a-uuid?limit=0',
  );
  const { details } = (await response.json()) as { details: { path: string; message: string }[] };
  expect(details.map(({ path }) => path)).toEqual([
    'thingId',
    'limit',
    'idempotency-key',
    'amount',
    'tip.percent',
  ]);
});

test('says how to authenticate and which methods there are', async () => {
  const { url, send } = await setup();
  const unauthorized = await fetch(`${url}/things/x`);
  expect(unauthorized.headers.get('www-authenticate')).toBe('Bearer');
  const notAllowed = await send('/things/x', { method: 'DELETE' });
  expect(notAllowed.headers.get('allow')).toBe('POST');
  const openPath = await fetch(`${url}/open`, { method: 'DELETE' });
  expect(openPath.status).toBe(405);
  expect(openPath.headers.get('allow')).toBe('GET, HEAD');
});

test('takes only the control token under /control, and only API tokens elsewhere', async () => {
  const { send } = await setup();
  expect((await send('/control/things', { token: 'the-control-token' })).status).toBe(200);
  expect((await send('/control/things')).status).toBe(401);
  expect((await send('/control/nowhere')).status).toBe(401);
  expect((await send('/control/nowhere', { token: 'the-control-token' })).status).toBe(404);
  expect((await send('/nowhere', { token: 'the-control-token' })).status).toBe(401);
});

test.each([
  ['GET http://elsewhere/control/things', 401],
  ['GET http://elsewhere/open', 200],
  ['GET //control/things', 404],
  ['GET /%63ontrol/things', 404],
  ['OPTIONS *', 400],
])('an API token does not get past the guard of /control: %s is %i', async (line, status) => {
  const { port } = await setup();
  const answer = await raw(
    port,
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sandbox-token\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test('takes a sane request id from the client and makes one otherwise, in answer and journal alike', async () => {
  const { send, runtime } = await setup();
  const given = await send('/nowhere', { headers: { 'Request-Id': 'till-7:42' } });
  expect(given.headers.get('request-id')).toBe('till-7:42');
  const made = await send('/nowhere', { headers: { 'Request-Id': 'a b"' } });
  expect(made.headers.get('request-id')).toMatch(/^[0-9a-f-]{36}$/);
  const ids = runtime.journal.since().map((entry) => (entry.data as { requestId?: string }).requestId);
  expect(ids.filter((id) => id === 'till-7:42')).toHaveLength(2);
  expect(ids.filter((id) => id === made.headers.get('request-id'))).toHaveLength(2);
});

test('journals both bodies but never the token', async () => {
  const { post, runtime, journal } = await setup();
  await post('{"amount":3}');
  expect(journal('http.received')[0]?.data).toMatchObject({ method: 'POST', body: { amount: 3 } });
  expect(journal('http.answered')[0]?.data).toMatchObject({ status: 201, body: { got: { amount: 3 } } });
  expect(JSON.stringify(runtime.journal.since())).not.toContain('sandbox-token');
});

test('journals no bodies, or nothing, of endpoints that ask for it', async () => {
  const secretive = (journaled: 'withoutBodies' | 'nothing') =>
    endpoint({
      ...common,
      method: 'post',
      path: `/secret/${journaled}`,
      guard: 'token',
      body: z.object({ secret: z.string() }),
      journaled,
      handle: async ({ body }) => ({ status: 200, body }),
    });
  const { post, runtime, journal } = await setup({
    endpoints: [secretive('withoutBodies'), secretive('nothing')],
  });
  await post('{"secret":"4111111111111111"}', {}, '/secret/withoutBodies');
  await post('{"secret":"4111111111111111"}', {}, '/secret/nothing');
  expect(JSON.stringify(runtime.journal.since())).not.toContain('4111');
  expect(journal('http.received')).toHaveLength(1);
  expect(journal('http.answered')).toHaveLength(1);
});

test('accepts fields it does not know and reports where they are', async () => {
  const { post, journal, calls } = await setup();
  const response = await post('{"amount":1,"colour":"red","tip":{"percent":1,"mood":{"x":1}}}');
  expect(response.status).toBe(201);
  expect(calls[0]?.body).toEqual({ amount: 1, tip: { percent: 1 } });
  expect(journal('request.unknownField')[0]?.data).toMatchObject({ paths: ['colour', 'tip.mood'] });
});

test.each([
  ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'invalidJson'],
  ['a byte order mark and nothing else', '\u{feff}', 'invalidJson'],
  ['nesting without end', `{"amount":1,"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 'invalidRequest'],
  ['a key that would change prototypes', '{"amount":1,"tip":{"__proto__":{"percent":1}}}', 'invalidRequest'],
  ['a body that is no object', '[]', 'invalidRequest'],
  ['no body', '', 'invalidRequest'],
])('refuses %s', async (_name, body, error) => {
  const { post } = await setup();
  const response = await post(body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error });
});

test('says which key is not allowed', async () => {
  const { post } = await setup();
  const response = await post('{"amount":1,"tip":{"percent":1,"__proto__":{"percent":2}}}');
  expect(await response.json()).toMatchObject({ details: [{ path: 'tip.__proto__' }] });
});

test('does not repeat the body in its message about bad JSON', async () => {
  const { post } = await setup();
  expect(await (await post('{"number":4111111111111111x')).text()).not.toContain('4111');
});

test.each([
  ['compressed', { 'Content-Encoding': 'gzip' }, 415],
  ['in another charset', { 'Content-Type': 'application/json; charset=latin1' }, 415],
  ['in UTF-8 said so', { 'Content-Type': 'Application/JSON;charset="UTF-8"' }, 201],
])('a body %s', async (_name, headers, status) => {
  const { post } = await setup();
  expect((await post('{"amount":1}', headers)).status).toBe(status);
});

test.each([
  ['/things/%E0%A4%A'],
  [`/things/${uuid}?limit=%zz`],
  [`/things/${uuid}?limit=1&limit=2`],
  [`/things/${uuid}?limit[a]=1&__proto__=2&limit=x`],
])('answers 400 to the malformed address %s', async (path) => {
  const { port } = await setup();
  const answer = await raw(
    port,
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sandbox-token\r\nContent-Type: application/json\r\n` +
      'Content-Length: 12\r\nConnection: close\r\n\r\n{"amount":1}',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('"error":"invalidRequest"');
});

test.each([
  ['garbage', 'what is this\r\n\r\n', 400, 'invalidRequest'],
  [
    'headers without end',
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`,
    431,
    'headersTooLarge',
  ],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    400,
    'invalid',
  ],
  ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'invalidRequest'],
  [
    'two tokens',
    'GET /things/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sandbox-token\r\nAuthorization: Bearer x\r\nConnection: close\r\n\r\n',
    401,
    'unauthorized',
  ],
])('answers %s on the wire in the envelope', async (_name, text, status, error) => {
  const { port } = await setup();
  const answer = await raw(port, text);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(answer).toContain('Request-Id: ');
  expect(answer).toContain(`{"error":"${error}`);
});

test('refuses one header sent twice', async () => {
  const { port } = await setup();
  const answer = await raw(
    port,
    `POST /things/${uuid} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sandbox-token\r\nContent-Type: application/json\r\n` +
      'Idempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{"amount":1}',
  );
  expect(answer).toContain('"path":"idempotency-key"');
});

test('answers a client that offers to speak HTTP/2 in HTTP/1.1', async () => {
  const { port } = await setup();
  const answer = await raw(
    port,
    'GET /open HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
});

test('hides what broke inside from the client, and tells the journal where', async () => {
  const broken = endpoint({
    ...common,
    method: 'get',
    path: '/broken',
    guard: 'token',
    handle: async () => {
      throw new TypeError('the inner detail');
    },
  });
  const { send, journal } = await setup({ endpoints: [broken] });
  const response = await send('/broken');
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('inner detail');
  expect(journal('warning')[0]?.data).toMatchObject({
    message: expect.stringMatching(/the inner detail[\s\S]*server\.test/),
  });
});

test('tells the handler when the client hangs up, and the journal too', async () => {
  const seen = Promise.withResolvers<unknown>();
  const started = Promise.withResolvers<void>();
  const held = endpoint({
    ...common,
    method: 'get',
    path: '/held',
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
  const { send, journal } = await setup({ endpoints: [held] });
  const client = new AbortController();
  const response = send('/held', { signal: client.signal });
  await started.promise;
  client.abort();
  await expect(response).rejects.toThrow();
  expect(await seen.promise).toBeInstanceOf(HungUp);
  await send('/nowhere');
  expect(journal('http.hungUp')).toHaveLength(1);
  expect(journal('warning')).toHaveLength(0);
});

test('limits each token by itself and says when to come again', async () => {
  const { post, send, runtime } = await setup({
    rateLimit: { requests: 2, perSeconds: 4 },
    runtime: { clock: 'virtual' },
  });
  const statuses = async (count: number) => {
    const responses = [];
    for (let i = 0; i < count; i++) responses.push(await post('{"amount":1}'));
    return responses.map(({ status, headers }) => [status, headers.get('retry-after')]);
  };
  expect(await statuses(3)).toEqual([
    [201, null],
    [201, null],
    [429, '2'],
  ]);
  expect((await send('/nowhere', { token: 'production-token' })).status).toBe(404);
  await (runtime.clock as VirtualClock).advance(2000);
  expect(await statuses(2)).toEqual([
    [201, null],
    [429, '2'],
  ]);
});

test('on close tells held calls, answers new ones 503, and ends', async () => {
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const held = endpoint({
    ...common,
    method: 'get',
    path: '/held',
    guard: 'token',
    handle: async ({ signal }) => {
      started.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await release.promise;
      return { status: 303, body: { stopped: signal.reason instanceof ShuttingDown } };
    },
  });
  const { send, server, url } = await setup({ endpoints: [held] });
  const response = send('/held');
  await started.promise;
  const closed = server.close();
  const late = await send('/open');
  expect(late.status).toBe(503);
  expect(late.headers.get('connection')).toBe('close');
  release.resolve();
  expect((await response).status).toBe(303);
  expect(await (await response).json()).toEqual({ stopped: true });
  await closed;
  await expect(fetch(url)).rejects.toThrow();
});

test('a call that lets the shutdown be thrown answers 503', async () => {
  const started = Promise.withResolvers<void>();
  const held = endpoint({
    ...common,
    method: 'get',
    path: '/held',
    guard: 'token',
    handle: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        started.resolve();
      }),
  });
  const { send, server } = await setup({ endpoints: [held] });
  const response = send('/held');
  await started.promise;
  await server.close();
  expect(await (await response).json()).toMatchObject({ error: 'unavailable' });
});

test('cuts off what does not end in the time a shutdown has', async () => {
  const started = Promise.withResolvers<void>();
  const stuck = endpoint({
    ...common,
    method: 'get',
    path: '/stuck',
    guard: 'token',
    handle: () => {
      started.resolve();
      return new Promise(() => {});
    },
  });
  const { send, server } = await setup({
    endpoints: [stuck],
    runtime: { timeouts: { shutdownMs: 1 } },
  });
  const response = send('/stuck');
  const failed = expect(response).rejects.toThrow();
  await started.promise;
  await server.close();
  await failed;
});

test('streams until the client leaves or the gateway shuts down', async () => {
  const stream = endpoint({
    ...common,
    method: 'get',
    path: '/stream',
    guard: 'token',
    handle: async () => ({
      status: 200,
      headers: { 'Content-Type': 'text/event-stream' },
      stream: async (write, signal) => {
        write('data: 1\n\n');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        write('data: 2\n\n');
      },
    }),
  });
  const { send, server } = await setup({ endpoints: [stream] });
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
  const flood = endpoint({
    ...common,
    method: 'get',
    path: '/flood',
    guard: 'token',
    handle: async () => ({
      status: 200,
      stream: async (write, signal) => {
        signal.addEventListener('abort', () => ended.resolve(signal.reason));
        while (!signal.aborted) {
          write('x'.repeat(500_000));
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    }),
  });
  const { port } = await setup({ endpoints: [flood] });
  const socket = connect(port, '127.0.0.1', () => {
    socket.pause();
    socket.write('GET /flood HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sandbox-token\r\n\r\n');
  });
  expect(await ended.promise).toBeInstanceOf(HungUp);
  socket.destroy();
});

test('virtual time stands still while a request is worked on and moves while it is parked', async () => {
  const held = endpoint({
    ...common,
    method: 'get',
    path: '/held',
    guard: 'token',
    handle: async (call) => {
      const resume = call.park();
      await new Promise<void>((resolve) => runtime.clock.setTimeout(resolve, 150_000));
      resume();
      return { status: 303 };
    },
  });
  const { send, runtime } = await setup({ endpoints: [held], runtime: { clock: 'virtual' } });
  const clock = runtime.clock as VirtualClock;
  const before = clock.now();
  const response = send('/held');
  while (clock.nextDue() === undefined) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(150_000);
  expect((await response).status).toBe(303);
  expect(clock.now() - before).toBe(150_000);
  await clock.inFlight.settled();
  expect(clock.inFlight.idle).toBe(true);
});

test('a taken port is one clear line', async () => {
  const { port } = await setup();
  const second = new HttpServer(
    { endpoints: [], authenticate: async () => undefined, controlToken: 'x' },
    createRuntime(),
  );
  const refused = second.listen('127.0.0.1', port);
  await expect(refused).rejects.toThrow(StartError);
  await expect(refused).rejects.toThrow(`port ${port} on 127.0.0.1 is taken`);
});

test('an endpoint whose guard does not fit its place is refused at once', () => {
  const wrong = endpoint({
    ...common,
    method: 'get',
    path: '/control/x',
    guard: 'token',
    handle: async () => {
      throw new ApiError('notFound');
    },
  });
  const options = { endpoints: [wrong], authenticate: async () => undefined, controlToken: 'x' };
  expect(() => new HttpServer(options, createRuntime())).toThrow('wrong guard');
});

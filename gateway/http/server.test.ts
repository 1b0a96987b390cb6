import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRuntime } from '../../shared/create-runtime.ts';
import { StartError } from '../../shared/start-error.ts';
import type { VirtualClock } from '../../shared/virtual-clock.ts';
import { defineEndpoint } from './endpoint.ts';
import { ApiError } from './errors.ts';
import { commonEndpointParts, exampleUuid, openTestServer, sendRawText } from './server.fixture.ts';
import { HttpServer } from './server.ts';

test('a good request is answered with what the handler returns', async () => {
  const { post } = await openTestServer();
  const response = await post('{"amount":1}');
  expect(response.status).toBe(201);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('etag')).toBeNull();
  expect(response.headers.get('x-powered-by')).toBeNull();
  expect(await response.json()).toEqual({ got: { amount: 1 }, caller: 't1' });
});

test('requests and responses have the prototypes that Express gives them', async () => {
  const { server, post } = await openTestServer();
  const seen: object[][] = [];
  server.server.prependListener('request', (...both: object[]) => {
    seen.push(both, both.map(Object.getPrototypeOf));
  });
  await post('{"amount":1}');
  const [both = [], before] = seen;
  for (const [at, prototype] of both.map(Object.getPrototypeOf).entries())
    expect(prototype).toBe(before?.[at]);
  expect(both.map((one) => 'app' in one)).toEqual([true, true]);
});

test('prepared text is sent as it is', async () => {
  const { url } = await openTestServer();
  const response = await fetch(`${url}/open`);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.text()).toBe('{"prepared":true}');
});

test.each([
  ['no token, whatever else is wrong', '/nowhere', 'PATCH', { Authorization: '' }, '', 401, 'unauthorized'],
  ['a route that does not exist', '/nowhere', 'PATCH', {}, '', 404, 'routeNotFound'],
  ['a route with another case', `/Things/${exampleUuid}`, 'POST', {}, '', 404, 'routeNotFound'],
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
])('the server refuses %s (B114, B116, B119)', async (_name, path, method, headers, body, status, error) => {
  const { send } = await openTestServer();
  const response = await send(path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body && { body }),
  });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error, message: expect.any(String) });
});

test('the error names each wrong field once, in the path, query, headers and body (B115)', async () => {
  const { post } = await openTestServer();
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
  expect(details.at(-1)?.message).toBe('is required');
});

test('errors say how to authenticate and which methods exist (B111, B113, B115)', async () => {
  const { url, send } = await openTestServer();
  const unauthorized = await fetch(`${url}/things/x`);
  expect(unauthorized.headers.get('www-authenticate')).toBe('Bearer');
  const notAllowed = await send('/things/x', { method: 'DELETE' });
  expect(notAllowed.headers.get('allow')).toBe('POST');
  const openPath = await fetch(`${url}/open`, { method: 'DELETE' });
  expect(openPath.status).toBe(405);
  expect(openPath.headers.get('allow')).toBe('GET, HEAD');
});

test('an Idempotency-Key is warned about if the endpoint ignores it, and only if the request changes something', async () => {
  const bare = {
    ...commonEndpointParts,
    guard: 'token',
    handle: async () => ({ status: 200, body: {} }),
  } as const;
  const { send, journal } = await openTestServer({
    endpoints: [
      defineEndpoint({ ...bare, route: 'GET /bare' }),
      defineEndpoint({ ...bare, route: 'DELETE /bare' }),
    ],
  });
  const headers = { 'Idempotency-Key': 'k' };
  await send('/bare', { headers });
  await send('/bare', { method: 'DELETE' });
  await send('/open', { headers });
  await send(`/things/${exampleUuid}`, { method: 'POST', headers, body: '{"amount":1}' });
  expect(journal('warning')).toEqual([]);
  await send('/bare', { method: 'DELETE', headers });
  expect(journal('warning')).toHaveLength(1);
});

test('/control accepts only the control token, and all other paths accept only API tokens', async () => {
  const { send } = await openTestServer();
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
])('an API token does not get past the guard of /control: %s is answered %i', async (line, status) => {
  const { port } = await openTestServer();
  const answer = await sendRawText(
    port,
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sandbox-token\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test('a valid request id of the client is kept, otherwise one is made, and answer and journal agree (B117)', async () => {
  const { send, runtime } = await openTestServer();
  const given = await send('/nowhere', { headers: { 'Request-Id': 'pos-7:42' } });
  expect(given.headers.get('request-id')).toBe('pos-7:42');
  const made = await send('/nowhere', { headers: { 'Request-Id': 'a b"' } });
  expect(made.headers.get('request-id')).toMatch(/^[0-9a-f-]{36}$/);
  const ids = runtime.journal.since().map((entry) => (entry.data as { requestId?: string }).requestId);
  expect(ids.filter((id) => id === 'pos-7:42')).toHaveLength(2);
  expect(ids.filter((id) => id === made.headers.get('request-id'))).toHaveLength(2);
});

test('the journal has both bodies but never the token', async () => {
  const { post, runtime, journal } = await openTestServer();
  await post('{"amount":3}');
  expect(journal('http.received')[0]?.data).toMatchObject({ method: 'POST', body: { amount: 3 } });
  expect(journal('http.answered')[0]?.data).toMatchObject({ status: 201, body: { got: { amount: 3 } } });
  expect(JSON.stringify(runtime.journal.since())).not.toContain('sandbox-token');
});

test('the journal has no bodies, or no entries, of endpoints that ask for this', async () => {
  const secretive = (journaled: 'withoutBodies' | 'nothing') =>
    defineEndpoint({
      ...commonEndpointParts,
      route: `POST /secret/${journaled}`,
      guard: 'token',
      body: z.object({ secret: z.string() }),
      journaled,
      handle: async ({ body }) => ({ status: 200, body }),
    });
  const { post, runtime, journal } = await openTestServer({
    endpoints: [secretive('withoutBodies'), secretive('nothing')],
  });
  await post('{"secret":"for nobody else"}', {}, '/secret/withoutBodies');
  await post('{"secret":"for nobody else"}', {}, '/secret/nothing');
  expect(JSON.stringify(runtime.journal.since())).not.toContain('for nobody else');
  expect(journal('http.received')).toHaveLength(1);
  expect(journal('http.answered')).toHaveLength(1);
});

test('unknown fields are accepted, and the answer says where they are (B29)', async () => {
  const { post, journal, calls } = await openTestServer();
  const response = await post('{"amount":1,"colour":"red","tip":{"percent":1,"mood":{"x":1}}}');
  expect(response.status).toBe(201);
  expect(calls[0]?.body).toEqual({ amount: 1, tip: { percent: 1 } });
  expect(journal('request.unknownField')[0]?.data).toMatchObject({ paths: ['colour', 'tip.mood'] });
});

test('the client does not see an internal error, and the journal says where it happened (B115)', async () => {
  const broken = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /broken',
    guard: 'token',
    handle: async () => {
      throw new TypeError('the inner detail');
    },
  });
  const { send, journal } = await openTestServer({ endpoints: [broken] });
  const response = await send('/broken');
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('inner detail');
  expect(journal('warning')[0]?.data).toMatchObject({
    message: expect.stringMatching(/the inner detail[\s\S]*server\.test/),
  });
});

test('each token has its own rate limit, and the answer says when to retry (B121)', async () => {
  const { post, send, runtime } = await openTestServer({
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

test('a port that is in use is reported in one clear line', async () => {
  const { port } = await openTestServer();
  const second = new HttpServer(
    { resources: [], authenticate: async () => undefined, controlToken: 'x' },
    createRuntime(),
  );
  const refused = second.listen('127.0.0.1', port);
  await expect(refused).rejects.toThrow(StartError);
  await expect(refused).rejects.toThrow(`port ${port} on 127.0.0.1 is taken`);
});

test('an endpoint whose guard does not match its path is rejected at once', () => {
  const wrong = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /control/x',
    guard: 'token',
    handle: async () => {
      throw new ApiError('notFound');
    },
  });
  const options = { resources: [[wrong]], authenticate: async () => undefined, controlToken: 'x' };
  expect(() => new HttpServer(options, createRuntime())).toThrow('must have the guard "control"');
});

test('a secret path is not in the journal, even if its method is wrong or its handler fails', async () => {
  const secret = defineEndpoint({
    route: 'GET /pay/{token}',
    guard: 'open',
    tag: 'Things',
    summary: 's',
    operationId: 'openSecret',
    journaled: 'nothing',
    responses: { 200: { description: 'd', schema: z.unknown() } },
    handle: async () => {
      throw new Error('broken');
    },
  });
  const { send, journal, runtime } = await openTestServer({ endpoints: [secret] });
  expect((await send('/pay/hush', { method: 'DELETE' })).status).toBe(405);
  expect((await send('/pay/hush')).status).toBe(500);
  expect(journal('warning')).toHaveLength(1);
  expect(JSON.stringify(runtime.journal.since())).not.toContain('hush');
});

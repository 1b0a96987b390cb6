import { expect, test } from 'vitest';
import { raw, setup, uuid } from './server.fixture.ts';

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

test('tells the first hundred faults of a body that has thousands', async () => {
  const { post } = await setup();
  const answer = await post(JSON.stringify({ amount: 1, tags: Array(40_000).fill(1) }));
  expect(answer.status).toBe(400);
  expect(((await answer.json()) as { details: unknown[] }).details).toHaveLength(100);
});

test.each<[string]>([
  ['/things/%E0%A4%A'],
  [`/things/${uuid}?limit=%zz`],
  [`/things/${uuid}?limit=1&limit=2`],
  ...['', '0x10', '1e1', '1.0', '+1', '%201'].map((limit): [string] => [`/things/${uuid}?limit=${limit}`]),
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

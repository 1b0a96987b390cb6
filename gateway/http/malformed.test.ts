import { expect, test } from 'vitest';
import { z } from 'zod';
import type { JournalEntry } from '../../shared/journal.ts';
import { defineEndpoint } from './endpoint.ts';
import { commonEndpointParts, exampleUuid, openTestServer, sendRawText } from './server.fixture.ts';

/** An endpoint that accepts a form, at an address that is a secret. */
const hushed = defineEndpoint({
  ...commonEndpointParts,
  route: 'POST /pay/{token}',
  guard: 'open',
  journaled: 'nothing',
  bodyType: 'form',
  body: z.object({ step: z.string() }),
  handle: async () => ({ status: 200, body: {} }),
});

test.each([
  ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'invalidJson'],
  ['a byte order mark and nothing else', '\u{feff}', 'invalidJson'],
  ['nesting without end', `{"amount":1,"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 'invalidRequest'],
  ['a key that would change prototypes', '{"amount":1,"tip":{"__proto__":{"percent":1}}}', 'invalidRequest'],
  ['a body that is no object', '[]', 'invalidRequest'],
  ['no body', '', 'invalidRequest'],
])('the server refuses %s', async (_name, body, error) => {
  const { post } = await openTestServer();
  const response = await post(body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error });
});

test.each([
  ['{"amount":"5"}', 'amount', 'must be a number, not a string'],
  ['{"amount":null}', 'amount', 'must be a number, not null'],
  ['{"amount":1e400}', 'amount', 'must be finite'],
  ['{}', 'amount', 'is required'],
  ['[]', '', 'must be an object, not an array'],
])('the error for %s says in plain words what must be there', async (body, path, message) => {
  const { post } = await openTestServer();
  expect(await (await post(body)).json()).toMatchObject({ details: [{ path, message }] });
});

test('a fragment, which no address may have, does not bypass the guard of /control', async () => {
  const overview = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /control',
    guard: 'control',
    handle: async () => ({ status: 200, body: {} }),
  });
  const { port } = await openTestServer({ endpoints: [overview] });
  const answer = await sendRawText(
    port,
    'GET /control#x HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer sandbox-token\r\nConnection: close\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1.1 401 /);
});

test('a body nested 64 deep is accepted (B119)', async () => {
  const { post } = await openTestServer();
  const statusOf = async (depth: number) =>
    (await post(`{"amount":1,"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`)).status;
  expect(await statusOf(64)).toBe(201);
  expect(await statusOf(65)).toBe(400);
});

test.each([
  ['no body', `/things/${exampleUuid}`, ''],
  ['a body nested without end', `/things/${exampleUuid}`, `{"x":${'['.repeat(100)}${']'.repeat(100)}}`],
  ['a path badly encoded', '/things/%E0%A4%A', '{"amount":1}'],
  ['a query badly encoded', `/things/${exampleUuid}?limit=%zz`, '{"amount":1}'],
  ['a query with more than a hundred fields', `/things/${exampleUuid}?${'a&'.repeat(101)}`, '{"amount":1}'],
])('invalidRequest also has details for %s (B115)', async (_name, path, body) => {
  const { post } = await openTestServer();
  const answer = (await (await post(body, {}, path)).json()) as { message: string };
  expect(answer).toEqual({
    error: 'invalidRequest',
    message: answer.message,
    details: [{ path: '', message: answer.message }],
  });
});

test('invalidRequest also has details for a request that is not HTTP', async () => {
  const { port } = await openTestServer();
  expect(await sendRawText(port, 'what is this\r\n\r\n')).toContain(
    '"details":[{"path":"","message":"The request is not',
  );
});

test('a query of at most a hundred fields is accepted (B119)', async () => {
  const { post } = await openTestServer();
  const statusOf = async (fields: number) =>
    (await post('{"amount":1}', {}, `/things/${exampleUuid}?${'a=&'.repeat(fields)}`)).status;
  expect(await statusOf(100)).toBe(201);
  expect(await statusOf(101)).toBe(400);
});

test('a form of more than a hundred fields is refused before a field is read (B119)', async () => {
  const { url } = await openTestServer({ endpoints: [hushed] });
  const submit = (fields: string) =>
    fetch(`${url}/pay/hush`, {
      method: 'POST',
      body: fields,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
  expect((await submit('step=a&'.repeat(100))).status).toBe(400); // a repeated name makes an array, which is refused
  expect((await submit(`step=a&${'b&'.repeat(99)}`)).status).toBe(200);
  const refused = await submit(`step=a&${'%zz&'.repeat(100)}`);
  expect(await refused.json()).toMatchObject({ message: 'The form has more than 100 fields' });
});

test('the answer names the first hundred unknown fields of a body that has thousands', async () => {
  const { post, journal } = await openTestServer();
  const fields = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`f${index}`, 1]));
  expect((await post(JSON.stringify({ amount: 1, ...fields }))).status).toBe(201);
  const [entry] = journal('request.unknownField') as JournalEntry<'request.unknownField'>[];
  expect(entry?.data.paths).toHaveLength(100);
});

test('the answer does not name unknown fields if the route is not in the journal', async () => {
  const { url, runtime } = await openTestServer({ endpoints: [hushed] });
  const answer = await fetch(`${url}/pay/hush`, {
    method: 'POST',
    body: 'step=a&answer-of-my-own=blue',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  expect(answer.status).toBe(200);
  expect(runtime.journal.since()).toEqual([]);
});

test('the error names the key that is not allowed', async () => {
  const { post } = await openTestServer();
  const response = await post('{"amount":1,"tip":{"percent":1,"__proto__":{"percent":2}}}');
  expect(await response.json()).toMatchObject({ details: [{ path: 'tip.__proto__' }] });
});

test.each([
  [
    'half a surrogate pair',
    '{"amount":1,"note":"caf\\ud83d"}',
    'note',
    'must not have half a surrogate pair',
  ],
  [
    'its other half',
    '{"amount":1,"extra":{"by":["\\udd25"]}}',
    'extra.by.0',
    'must not have half a surrogate pair',
  ],
  ['a null character', '{"amount":1,"note":"a\\u0000b"}', 'note', 'has a control character'],
  ['an escape sequence', '{"amount":1,"note":"\\u001b[2J"}', 'note', 'has a control character'],
  [
    'a control character of the other set',
    '{"amount":1,"note":"\\u009b"}',
    'note',
    'has a control character',
  ],
  ['a delete', '{"amount":1,"note":"\\u007f"}', 'note', 'has a control character'],
  [
    'a name that is no text',
    '{"amount":1,"n\\u0007\\ud83d":1}',
    'n??',
    'its name must not have half a surrogate pair',
  ],
])(
  '%s in a body is refused, even in a field that no schema knows (B120)',
  async (_name, body, path, message) => {
    const { post } = await openTestServer();
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalidRequest', details: [{ path, message }] });
  },
);

test.each([
  [`/things/${exampleUuid}%00`, 'thingId'],
  [`/things/${exampleUuid}?limit=1%1b`, 'limit'],
  [`/things/${exampleUuid}?limit=1&x%01=1`, 'x?'],
])('control characters in the address are refused: %s', async (path, at) => {
  const { post } = await openTestServer();
  const response = await post('{"amount":1}', {}, path);
  expect(response.status).toBe(400);
  const { details } = (await response.json()) as { details: unknown[] };
  expect(details).toContainEqual({ path: at, message: expect.stringContaining('has a control character') });
});

test('tabs, line ends and complete surrogate pairs are accepted (B120)', async () => {
  const { post } = await openTestServer();
  const response = await post(JSON.stringify({ amount: 1, note: '\tone\r\ntwo \u{1f525}' }));
  expect(response.status).toBe(201);
});

test('one answer names invalid text and violations of the schema, at most a hundred', async () => {
  const { post } = await openTestServer();
  const both = await post(JSON.stringify({ amount: 'x', note: '\0' }));
  expect(((await both.json()) as { details: { path: string }[] }).details.map(({ path }) => path)).toEqual([
    'note',
    'amount',
  ]);
  const many = await post(JSON.stringify({ amount: 1, rubbish: Array(5000).fill('\0') }));
  expect(((await many.json()) as { details: unknown[] }).details).toHaveLength(100);
});

test('the error about bad JSON does not repeat the body', async () => {
  const { post } = await openTestServer();
  expect(await (await post('{"number":4111111111111111x')).text()).not.toContain('4111');
});

test.each([
  ['compressed', { 'Content-Encoding': 'gzip' }, 415],
  ['in another charset', { 'Content-Type': 'application/json; charset=latin1' }, 415],
  ['in UTF-8 said so', { 'Content-Type': 'Application/JSON;charset="UTF-8"' }, 201],
])('a body %s (B115)', async (_name, headers, status) => {
  const { post } = await openTestServer();
  expect((await post('{"amount":1}', headers)).status).toBe(status);
});

test('the answer reports the first hundred faults of a body that has thousands (B115)', async () => {
  const { post } = await openTestServer();
  const answer = await post(JSON.stringify({ amount: 1, tags: Array(40_000).fill(1) }));
  expect(answer.status).toBe(400);
  expect(((await answer.json()) as { details: unknown[] }).details).toHaveLength(100);
});

test.each<[string]>([
  ['/things/%E0%A4%A'],
  [`/things/${exampleUuid}?limit=%zz`],
  [`/things/${exampleUuid}?limit=1&limit=2`],
  ...['', '0x10', '1e1', '1.0', '+1', '%201'].map((limit): [string] => [
    `/things/${exampleUuid}?limit=${limit}`,
  ]),
  [`/things/${exampleUuid}?limit[a]=1&__proto__=2&limit=x`],
])('the malformed address %s is answered 400', async (path) => {
  const { port } = await openTestServer();
  const answer = await sendRawText(
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
])('%s is answered on the wire in the error envelope', async (_name, text, status, error) => {
  const { port } = await openTestServer();
  const answer = await sendRawText(port, text);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(answer).toContain('Request-Id: ');
  expect(answer).toContain(`{"error":"${error}`);
});

test('one header that is sent twice is refused', async () => {
  const { port } = await openTestServer();
  const answer = await sendRawText(
    port,
    `POST /things/${exampleUuid} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sandbox-token\r\nContent-Type: application/json\r\n` +
      'Idempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{"amount":1}',
  );
  expect(answer).toContain('"path":"idempotency-key"');
});

test('two Host headers are refused, because readers may differ about which one counts', async () => {
  const { port } = await openTestServer();
  const answer = await sendRawText(
    port,
    `POST /things/${exampleUuid} HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 400 .*There is more than one Host header/s);
});

test('a client that offers HTTP/2 is answered in HTTP/1.1', async () => {
  const { port } = await openTestServer();
  const answer = await sendRawText(
    port,
    'GET /open HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
});

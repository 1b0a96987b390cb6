import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { commonEndpointParts, exampleUuid, openTestServer, sendRawText } from './server.fixture.ts';

const note = defineEndpoint({
  ...commonEndpointParts,
  route: 'POST /notes',
  guard: 'open',
  body: z.object({ note: z.string() }),
  handle: async ({ body }) => ({ status: 200, body }),
});

test('requests without a token push no other entries out of the journal (B125)', async () => {
  const { port, post, send, journal } = await openTestServer({
    endpoints: [note],
    runtime: { journal: { entries: 20, unauthenticatedEntries: 6 } },
  });
  await post('{"amount":7}');
  for (let count = 0; count < 10; count++) {
    await send('/things', { token: 'wrong' });
    await send('/nowhere', { headers: { Authorization: '' } });
    await send('/control/things', { token: 'wrong' });
    await send('/open');
    await sendRawText(port, 'what is this\r\n\r\n');
    await sendRawText(port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n');
    await post('{"note":"n","colour":"red"}', {}, '/notes');
  }
  const statuses = journal('http.answered').map(({ data }) => (data as { status: number }).status);
  expect(statuses[0]).toBe(201);
  expect(journal('http.received')[0]?.data).toMatchObject({
    path: `/things/${exampleUuid}`,
    body: { amount: 7 },
  });
  expect(journal('http.received').length + statuses.length).toBeLessThan(2 + 7);
});

test('the journal keeps no body of unauthenticated requests', async () => {
  const { post, send, journal } = await openTestServer({ endpoints: [note] });
  await post('{"note":"n"}', {}, '/notes');
  await send('/things', { token: 'wrong' });
  expect(
    [...journal('http.received'), ...journal('http.answered')].map(({ data }) => Object.keys(data)),
  ).toEqual([
    ['method', 'path', 'requestId', 'connection', 'headers'],
    ['method', 'path', 'requestId', 'connection', 'headers'],
    ['method', 'path', 'requestId', 'status', 'headers', 'durationMs', 'whole'],
    ['method', 'path', 'requestId', 'status', 'headers', 'durationMs', 'whole'],
  ]);
});

test('a request with a valid token that is refused for another reason is kept with its body', async () => {
  const { post, journal } = await openTestServer({ rateLimit: { requests: 1, perSeconds: 60 } });
  await post('{"amount":1}');
  await post('{"amount":2}');
  expect(journal('http.answered')[1]?.data).toMatchObject({ status: 429, body: { error: 'rateLimited' } });
});

import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { defineEndpoint } from './endpoint.ts';
import { makeLiveStreamAnswer } from './live-stream.ts';
import { commonEndpointParts, openTestServer, sendRawText } from './server.fixture.ts';

/**
 * Opens a server whose `/pieces` answers with a list of `total` texts. Gives the server, the number of texts made so
 * far, and a promise that resolves when no more texts are made.
 */
async function served(total: number) {
  const made = { count: 0 };
  const ended = Promise.withResolvers<void>();
  function* pieces() {
    try {
      yield '["start"';
      for (; made.count < total; made.count++) yield `,"${'x'.repeat(100_000)}"`;
      yield ']\n';
    } finally {
      ended.resolve();
    }
  }
  const listed = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /pieces',
    guard: 'open',
    handle: async () => ({ status: 200, pieces: pieces() }),
  });
  return { ...(await openTestServer({ endpoints: [listed] })), made, ended: ended.promise };
}

test('an answer that is sent in pieces is one JSON text', async () => {
  const { send } = await served(3);
  const answer = await send('/pieces');
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(await answer.json()).toHaveLength(4);
});

test('a piece is made when the client has read the former ones, and none is made for a client that is gone', async () => {
  const { port, made, ended } = await served(1_000);
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /pieces HTTP/1.1\r\nHost: h\r\n\r\n');
  await new Promise((resolve) => socket.once('readable', resolve)); // after this, the client reads nothing more
  expect(made.count).toBeLessThan(500);
  socket.destroy();
  await ended;
  expect(made.count).toBeLessThan(500);
});

test('HEAD makes no pieces', async () => {
  const { send, made } = await served(3);
  expect((await send('/pieces', { method: 'HEAD' })).status).toBe(200);
  expect(made.count).toBe(0);
});

test('HEAD of a live stream ends with its headers, and its connection takes the next request', async () => {
  let followed = 0;
  const live = defineEndpoint({
    ...commonEndpointParts,
    route: 'GET /live',
    guard: 'open',
    handle: async () =>
      makeLiveStreamAnswer(createRuntime(), {
        name: 'live',
        follow: () => {
          followed++;
          return () => {};
        },
      }),
  });
  const { port } = await openTestServer({ endpoints: [live] });
  const answers = await sendRawText(
    port,
    'HEAD /live HTTP/1.1\r\nHost: h\r\n\r\nGET /open HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
  );
  expect(answers).toMatch(
    /^HTTP\/1\.1 200 .*text\/event-stream.*\r\n\r\nHTTP\/1\.1 200 .*\{"prepared":true\}$/s,
  );
  expect(followed).toBe(0);
});

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Timeouts } from '../../shared/timeouts.ts';
import { closeCodes } from '../../shared/transport/link.ts';
import { LinkServer } from '../../shared/transport/link-server.ts';
import { upgradeRequest } from '../../test/refused-upgrade.ts';
import { defineEndpoint } from './endpoint.ts';
import { commonEndpointParts, openTestServer } from './server.fixture.ts';

const clients: Socket[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
});

const large = defineEndpoint({
  ...commonEndpointParts,
  route: 'GET /large',
  guard: 'open',
  handle: async () => ({ status: 200, text: 'x'.repeat(20_000_000) }),
});

/** Opens a server, and gives functions that connect to it. These clients never close their end of a connection. */
async function bedOf(timeouts: Partial<Timeouts>) {
  const { server, port, runtime } = await openTestServer({ endpoints: [large], runtime: { timeouts } });
  const links = new LinkServer(server.server, runtime);
  links.serve('/poi', { admit: async () => ({ refuse: 401, reason: 'nobody' }), connected: () => {} });
  /**
   * Connects and sends a text. `begun` resolves with the first bytes of an answer. `gone` resolves when the server has
   * closed the connection, and gives everything that was received.
   */
  const cling = async (text: string, { reads = true } = {}) => {
    const accepted = once(server.server, 'connection');
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    clients.push(client);
    const begun = once(client, 'data');
    let answer = '';
    if (reads) client.on('data', (data) => (answer += data));
    else client.once('data', () => client.pause());
    client.on('error', () => {});
    client.write(text);
    const [socket] = (await accepted) as [Socket];
    const ends = [once(socket, 'close'), ...(reads ? [once(client, 'end')] : [])];
    return { client, begun, gone: Promise.all(ends).then(() => answer) };
  };
  return { server, links, cling };
}

test.each([
  ['nothing at all', '', 408],
  ['half a head', 'GET /open HTTP/1.1\r\nHos', 408],
  ['half a body', 'POST /open HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{', 405],
  ['what is not HTTP', '\u0016\u0003\u0001\u0002\r\n\r\n', 400],
  ['a head without end', `GET / HTTP/1.1\r\nX: ${'y'.repeat(40_000)}`, 431],
  ['an upgrade with a wrong key', upgradeRequest('/poi'), 401],
  ['an upgrade at a path without links', upgradeRequest('/nowhere'), 404],
  ['its last request', 'GET /open HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 200],
])('a client that sends %s is answered, and its connection is closed', async (_name, text, status) => {
  const limits = { 408: { headersMs: 40, requestMs: 40 }, 405: { headersMs: 2_000, requestMs: 2_000 } }[
    status
  ]; // the head of a request is read at once
  const { cling } = await bedOf({ ...limits, lingerMs: 10 });
  const { gone } = await cling(text);
  expect(await gone).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test('an upgrade that arrives after it was refused is dropped', async () => {
  const { cling } = await bedOf({ headersMs: 40, requestMs: 40, lingerMs: 500 });
  const [begins, ...rest] = upgradeRequest('/nowhere').split('\r\n');
  const { client, begun, gone } = await cling(`${begins}\r\n`);
  await begun;
  client.write(rest.join('\r\n'));
  expect(await gone).toMatch(/^HTTP\/1\.1 408 (?!.*HTTP)/s);
});

test('a link that was closed is cut off if the client never closes its end', async () => {
  const { cling, links } = await bedOf({ lingerMs: 10 });
  links.serve('/link', {
    admit: async () => ({}),
    connected: (link) => link.close(closeCodes.policy, 'no'),
  });
  const { gone } = await cling(upgradeRequest('/link'));
  expect(await gone).toMatch(/^HTTP\/1\.1 101 /);
});

test.each([
  ['one answer', 1],
  ['many answers', 3],
])('a client that stops reading %s is cut off', async (_name, requests) => {
  const { cling } = await bedOf({ sendMs: 20 });
  const { gone } = await cling('GET /large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests), { reads: false });
  await gone;
});

test('closing ends within its time limit, whatever is still open', async () => {
  const { cling, server } = await bedOf({ lingerMs: 3_600_000, shutdownMs: 50 });
  const hanging = [
    await cling('GET /large HTTP/1.1\r\nHost: x\r\n\r\n', { reads: false }),
    await cling('what is this\r\n\r\n'),
    await cling(upgradeRequest('/poi')),
  ];
  await Promise.all(hanging.map(({ begun }) => begun));
  hanging.push(await cling('GET /open HTTP/1.1\r\nHos', { reads: false }));
  await server.close();
  await Promise.all(hanging.map(({ gone }) => gone));
});

test('requests of one connection have its number in the journal (B330)', async () => {
  const { port, runtime } = await openTestServer();
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  for (const paths of [['/open?1', '/open?2'], ['/open?3']]) {
    const client = connect({ port, host: '127.0.0.1' });
    clients.push(client);
    for (const path of paths) {
      client.write(request(path));
      await once(client, 'data');
    }
  }
  const received = runtime.journal.since().filter((entry) => entry.kind === 'http.received');
  expect(received.map(({ data }) => [data.path, data.connection])).toEqual([
    ['/open?1', 1],
    ['/open?2', 1],
    ['/open?3', 2],
  ]);
});

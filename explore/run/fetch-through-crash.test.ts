import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { fetchThroughCrash } from './fetch-through-crash.ts';

/** Starts a server that breaks the connection of the first `count` requests, and then answers with what it received. */
async function breaking(count: number) {
  let left = count;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (left-- > 0) request.socket.destroy();
    else response.end(text);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a request whose connection breaks in a crash is sent again, with its body', async () => {
  const answer = await fetchThroughCrash(
    new Request(await breaking(2), { method: 'POST', body: '{"ms":5}' }),
  );
  expect(await answer.text()).toBe('{"ms":5}');
});

test('a request that nobody ever answers after a crash is given up', async () => {
  await expect(fetchThroughCrash(new Request(await breaking(9)))).rejects.toThrow('fetch failed');
});

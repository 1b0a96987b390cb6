import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { HttpConnection } from './http-connection.ts';

/** Starts a server that sends `answer` in the given pieces, whatever the request is. */
async function serverOf(...pieces: string[]) {
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('data', async () => {
      for (const piece of pieces) {
        await new Promise<void>((sent) => socket.write(piece, () => sent()));
        await new Promise((turned) => setImmediate(turned));
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  return { url: new URL(`http://127.0.0.1:${port}`), close: () => server.close() };
}

test('an answer is read in pieces, and so is the next on the same connection', async () => {
  const server = await serverOf('HTTP/1.1 200 OK\r\nContent-', 'Length: 5\r\n\r', '\nhé', 'l', 'o');
  const connection = await HttpConnection.open(server.url);
  for (let nth = 0; nth < 2; nth++)
    expect(await connection.send('POST', '/', '', '{}')).toEqual({ status: 200, body: 'hélo' });
  connection.close();
  server.close();
});

test('a server that hangs up before it has answered gives an error', async () => {
  const server = createServer((socket) => socket.on('data', () => socket.destroy()));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const connection = await HttpConnection.open(
    new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}`),
  );
  await expect(connection.send('GET', '/', '')).rejects.toThrow('closed the connection');
  connection.close();
  server.close();
});

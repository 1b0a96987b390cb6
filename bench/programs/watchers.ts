import { connect, type Socket } from 'node:net';

/** Watches a gateway's journal from a process of its own, and discards the entries. */
interface Watch {
  url: string;
  controlToken: string;
  /** The number of connections that watch the journal once this message has been handled. */
  count: number;
}

const sockets: Socket[] = [];

process.on('message', async ({ url, controlToken, count }: Watch) => {
  for (const socket of sockets.splice(count)) socket.destroy();
  while (sockets.length < count) sockets.push(await watch(url, controlToken));
  process.send?.('watching');
});

/** Resolves once the gateway has begun to answer. */
function watch(url: string, controlToken: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect(Number(port), hostname, () => {
    const head = `Host: ${hostname}\r\nAuthorization: Bearer ${controlToken}`;
    socket.write(`GET /control/journal/stream HTTP/1.1\r\n${head}\r\n\r\n`);
  });
  socket.once('error', reject).once('close', () => {
    reject(new Error('the stream ended'));
    // If a connection was cut off, the program ends. Such a connection costs the gateway nothing, so the measurement
    // would show too little work.
    if (sockets.includes(socket)) process.exit(1);
  });
  socket.once('data', () => resolve(socket));
  socket.resume();
  return promise;
}

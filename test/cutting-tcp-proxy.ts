import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * What happens to bytes on their way: they arrive, the connection breaks before they arrive, or they arrive when
 * `release` is called.
 */
type Fate = 'arrive' | 'cut' | 'hold';

/** Stands in the middle of a TCP connection, so that a test can break the connection at an exact position. */
export class CuttingTcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #held: (() => void)[] = [];
  /** Decides what happens to bytes from the client (`up`) or from the server (`down`). */
  fate: (direction: 'up' | 'down', data: Buffer) => Fate = () => 'arrive';

  private constructor(target: number) {
    this.#server = createServer((client) => {
      const server = connect(target, '127.0.0.1');
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.setNoDelay(true);
      }
      client.on('data', (data) => this.#pass('up', data, client, server));
      server.on('data', (data) => this.#pass('down', data, client, server));
      client.on('close', () => server.destroy());
      server.on('close', () => client.destroy());
    });
  }

  static async open(target: number): Promise<CuttingTcpProxy> {
    const wire = new CuttingTcpProxy(target);
    await new Promise<void>((resolve) => wire.#server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Delivers the bytes that were held, even if the client's end of the connection is broken by then. */
  release(): void {
    for (const release of this.#held.splice(0)) release();
  }

  /** Breaks every connection at both ends. */
  dropAll(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  close(): void {
    this.dropAll();
    this.#server.close();
  }

  #pass(direction: 'up' | 'down', data: Buffer, client: Socket, server: Socket): void {
    const fate = this.fate(direction, data);
    if (fate === 'arrive') return void (direction === 'up' ? server : client).write(data);
    if (fate === 'hold') {
      client.removeAllListeners('close');
      this.#held.push(() => server.end(data));
    }
    client.destroy();
  }
}

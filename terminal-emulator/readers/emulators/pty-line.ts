import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { ByteTransport } from '../reader-driver.ts';
import { SocketTransport } from '../transport/tcp-transport.ts';

/**
 * Makes a pseudo-terminal at `path` with the program socat, which is not part of Node and has to be installed.
 *
 * @throws Error if socat is missing or cannot make the pseudo-terminal
 */
export async function openPtyLine(path: string): Promise<PtyLine> {
  rmSync(path, { force: true }); // this link may come from an earlier run that was killed
  const server = createServer({ noDelay: true });
  const port = await listening(server);
  const socat = spawn('socat', ['-t0', `pty,raw,echo=0,link=${path}`, `tcp:127.0.0.1:${port},nodelay`], {
    stdio: 'ignore',
  });
  try {
    const socket = await connected(server, socat);
    return new PtyLine(path, socat, new SocketTransport(socket, path));
  } finally {
    server.close();
  }
}

/** An emulated serial port. A program opens `path` like any port; `transport` is the other end of the line. */
export class PtyLine {
  readonly path: string;
  readonly transport: ByteTransport;
  #exited: Promise<void>;

  constructor(path: string, socat: ChildProcess, transport: ByteTransport) {
    this.path = path;
    this.transport = transport;
    this.#exited = new Promise((resolve) => {
      if (socat.exitCode !== null) resolve();
      socat.once('exit', () => resolve());
    });
    transport.onClosed(() => socat.kill());
  }

  /** Disconnects the port. Programs that have the port open see that the port disappears. */
  async close(): Promise<void> {
    await this.transport.close();
    await this.#exited;
  }
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address && typeof address === 'object') resolve(address.port);
    });
  });
}

function connected(server: Server, socat: ChildProcess): Promise<Socket> {
  return new Promise((resolve, reject) => {
    server.once('connection', resolve);
    socat.once('error', () =>
      reject(new Error('socat is needed to make a serial port: install it, e.g. apt-get install socat')),
    );
  });
}

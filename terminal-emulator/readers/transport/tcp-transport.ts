import { createConnection, type Socket } from 'node:net';
import { explainConnectionError } from '../../../shared/connection-error.ts';
import {
  type ByteTransport,
  ReaderOpenError,
  TransportClosedError,
  type Unsubscribe,
} from '../reader-driver.ts';

const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there. Is the serial server running?',
  ENOTFOUND: 'there is no host of this name. Is the name spelled correctly?',
};

/**
 * Connects to a serial port that a serial server, such as ser2net, offers over TCP. The bytes pass unchanged.
 *
 * @throws ReaderOpenError if nothing listens there, if the host is unknown, or if `signal` aborts
 */
export function openTcpTransport(host: string, port: number, signal: AbortSignal): Promise<ByteTransport> {
  const name = `tcp:${host}:${port}`;
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port, signal, noDelay: true, keepAlive: true });
    const fail = (error: Error) => reject(openError(name, error));
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.off('error', fail);
      resolve(new SocketTransport(socket, name));
    });
  });
}

function openError(name: string, error: NodeJS.ErrnoException): ReaderOpenError {
  const remedy = remedies[error.code ?? ''];
  return new ReaderOpenError(
    remedy ? 'NO_PORT' : 'FAILED',
    `${name}: ${remedy ?? explainConnectionError(error)}`,
  );
}

/** A line over an open socket. It may be either end of the connection. */
export class SocketTransport implements ByteTransport {
  readonly name: string;
  #socket: Socket;
  #closed = new Set<(why: string) => void>();
  #error: string | undefined;
  #why: string | undefined;

  constructor(socket: Socket, name: string) {
    this.name = name;
    this.#socket = socket;
    socket.on('error', (error) => {
      this.#error = error.message;
    });
    socket.once('end', () => socket.destroy()); // a line is of no use once one of its directions is closed
    socket.once('close', () => this.#end(this.#error ?? 'the other end closed'));
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#why !== undefined) return reject(new TransportClosedError(this.#why));
      this.#socket.write(bytes, (error) =>
        error ? reject(new TransportClosedError(error.message)) : resolve(),
      );
    });
  }

  onData(listener: (bytes: Uint8Array) => void): Unsubscribe {
    this.#socket.on('data', listener);
    return () => this.#socket.off('data', listener);
  }

  onClosed(listener: (why: string) => void): Unsubscribe {
    if (this.#why !== undefined) listener(this.#why);
    else this.#closed.add(listener);
    return () => this.#closed.delete(listener);
  }

  async close(): Promise<void> {
    this.#socket.destroy();
    this.#end('closed');
  }

  #end(why: string): void {
    if (this.#why !== undefined) return;
    this.#why = why;
    const listeners = [...this.#closed];
    this.#closed.clear();
    for (const listener of listeners) listener(why);
  }
}

import { createServer } from 'node:net';
import { makeCannotListenError } from '../../../shared/cannot-listen.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { ByteTransport, LineSettings } from '../reader-driver.ts';
import { openSerial } from '../transport/serial-transport.ts';
import { SocketTransport } from '../transport/tcp-transport.ts';
import { openPtyLine } from './pty-line.ts';

/**
 * Where an emulated reader can be reached. `serial`: the emulator opens the serial port `path`, and programs find the
 * reader at the other end of the cable (a null-modem cable, or a pair of socat's ports). `pty`: programs find the
 * reader at a pseudo-terminal that the emulator makes at `path` (this needs socat). `tcp`: programs find the reader at
 * a TCP port.
 */
export type EmulatedReaderAddress =
  | { readonly kind: 'serial'; readonly path: string }
  | { readonly kind: 'pty'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

interface EmulatorLine {
  /** The reader's address for `--reader`, to be written after the driver's name: a path, or `tcp://HOST:PORT`. */
  readonly address: string;
  /** When the line has closed permanently, resolves to the reason. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/**
 * Opens the line on which an emulator answers. For a serial port, `connected` is called once. For a TCP port, it is
 * called for each client; only the latest client is served.
 *
 * @throws ReaderOpenError for a serial port; Error if the pseudo-terminal or TCP port cannot be opened
 */
export function openEmulatorLine(
  place: EmulatedReaderAddress,
  settings: LineSettings,
  clock: Clock,
  connected: (transport: ByteTransport) => void,
): Promise<EmulatorLine> {
  if (place.kind === 'tcp') return listen(place, connected);
  return place.kind === 'pty'
    ? makePty(place.path, connected)
    : openPort(place.path, settings, clock, connected);
}

async function openPort(
  path: string,
  settings: LineSettings,
  clock: Clock,
  connected: (transport: ByteTransport) => void,
): Promise<EmulatorLine> {
  const transport = await openSerial(path, settings, { clock, signal: new AbortController().signal });
  connected(transport);
  const ended = new Promise<string>((resolve) => transport.onClosed(resolve));
  return { address: path, ended, close: () => transport.close() };
}

async function makePty(path: string, connected: (transport: ByteTransport) => void): Promise<EmulatorLine> {
  const line = await openPtyLine(path);
  connected(line.transport);
  const ended = new Promise<string>((resolve) => line.transport.onClosed(resolve));
  return { address: path, ended, close: () => line.close() };
}

function listen(
  { host, port }: { host: string; port: number },
  connected: (transport: ByteTransport) => void,
): Promise<EmulatorLine> {
  let current: ByteTransport | undefined;
  const server = createServer({ noDelay: true }, (socket) => {
    // The line stands for one cable, so only the latest client is connected to it.
    void current?.close();
    current = new SocketTransport(socket, `tcp:${socket.remoteAddress}:${socket.remotePort}`);
    connected(current);
  });
  const ended = new Promise<string>((resolve) => server.once('close', () => resolve('closed')));
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(makeCannotListenError(error, host, port)));
    server.listen(port, host, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      resolve({
        address: `tcp://${host.includes(':') ? `[${host}]` : host}:${bound}`,
        ended,
        async close() {
          await current?.close();
          server.close();
          await ended;
        },
      });
    });
  });
}

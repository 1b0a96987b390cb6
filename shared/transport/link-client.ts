import { WebSocket } from 'ws';
import type { Runtime } from '../runtime.ts';
import { Link } from './link.ts';
import { largestFrame } from './link-server.ts';
import type { Socket } from './socket.ts';

/** The other end would not open a link: its HTTP status, or undefined where there was no answer. */
export class DialError extends Error {
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/**
 * Opens a link to `url`. `ready` is called in the very turn the link opens, so that it can set the handler
 * before the first message comes.
 *
 * @throws DialError when the gateway refuses, is not there, or `signal` aborts.
 */
export function dial(
  options: { url: string; headers: Record<string, string>; signal?: AbortSignal },
  runtime: Runtime,
  ready: (link: Link) => void,
): Promise<Link> {
  const dialling = runtime.inFlight.begin();
  const id = runtime.identifiers.next();
  return new Promise<Link>((resolve, reject) => {
    const socket = new WebSocket(options.url, {
      headers: { ...options.headers, 'pinpad-link': id },
      perMessageDeflate: false,
      maxPayload: largestFrame,
      autoPong: false,
      handshakeTimeout: 10_000,
      ...({ closeTimeout: runtime.timeouts.lingerMs } as object), // not in @types/ws yet
    });
    const abort = () => socket.terminate();
    options.signal?.addEventListener('abort', abort, { once: true });
    socket.once('open', () => {
      options.signal?.removeEventListener('abort', abort);
      socket.removeAllListeners('error');
      socket.removeAllListeners('unexpected-response'); // it would keep the request, and there are thousands of links
      const link = new Link(socket as unknown as Socket, id, new URL(options.url).pathname, runtime);
      ready(link);
      resolve(link);
    });
    socket.once('unexpected-response', (_request, response) => {
      reject(new DialError(`the gateway answered ${response.statusCode}`, response.statusCode));
      socket.terminate();
    });
    socket.on('error', (error) => reject(new DialError(error.message)));
  }).finally(dialling);
}

import { WebSocket } from 'ws';
import type { Runtime } from '../runtime.ts';
import { largestFrameBytes } from './largest-frame.ts';
import { Link } from './link.ts';
import { largestSharedFrameBytes } from './shared-socket.ts';
import { DedicatedSocket } from './single-link-socket.ts';
import type { ConnectOptions } from './socket.ts';

/** Thrown if a link could not be opened. `status` is the HTTP status; undefined if there was no answer. */
export class DialError extends Error {
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/**
 * Opens a link to `url`. `ready` is called in the turn of the event loop in which the link opens. So `ready` can set
 * the handler before the first message arrives.
 *
 * @throws DialError if the gateway refuses or cannot be reached, or if `signal` aborts
 */
export function dialLink(
  options: ConnectOptions,
  runtime: Runtime,
  ready: (link: Link) => void,
): Promise<Link> {
  const dialling = runtime.inFlight.begin();
  const id = runtime.identifiers.next();
  const headers = { ...options.headers, 'pinpad-link': id };
  return openWebSocket({ ...options, headers }, [], runtime, (socket) => {
    const link = new Link(new DedicatedSocket(socket), id, new URL(options.url).pathname, runtime);
    ready(link);
    return link;
  }).finally(dialling);
}

/**
 * Opens a WebSocket. `opened` is called in the turn of the event loop in which the WebSocket opens, before anything
 * arrives.
 *
 * @throws DialError as {@link dialLink} does
 */
export function openWebSocket<Opened>(
  { url, headers, signal }: ConnectOptions,
  protocols: string[],
  runtime: Runtime,
  opened: (socket: WebSocket) => Opened,
): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, protocols, {
      headers,
      perMessageDeflate: false,
      maxPayload: protocols.length > 0 ? largestSharedFrameBytes : largestFrameBytes,
      autoPong: false,
      handshakeTimeout: 10_000,
      ...(protocols.length > 0 ? { generateMask: noMask } : {}),
      ...({ closeTimeout: runtime.timeouts.lingerMs } as object), // this option is not in @types/ws yet
    });
    const abort = () => socket.terminate();
    signal?.addEventListener('abort', abort, { once: true });
    socket.once('open', () => {
      signal?.removeEventListener('abort', abort);
      socket.removeAllListeners('error');
      // This listener is removed, because it would keep the request in memory as long as the link exists. There are
      // thousands of links.
      socket.removeAllListeners('unexpected-response');
      resolve(opened(socket));
    });
    socket.once('unexpected-response', (_request, response) => {
      reject(new DialError(`the gateway answered ${response.statusCode}`, response.statusCode));
      socket.terminate();
    });
    socket.on('error', (error) => reject(new DialError(error.message)));
  });
}

/**
 * Makes a mask of zeros, which changes no frame. Masks prevent scripts in browsers from sending bytes that an old proxy
 * mistakes for HTTP (RFC 6455 §10.3). Shared sockets need no masks, because only our own programs open them. Masking in
 * JavaScript would take 25 µs for each payment.
 */
function noMask(mask: Buffer): void {
  mask.fill(0);
}

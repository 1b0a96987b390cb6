import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { maskCardNumbers } from '../masking/card-numbers.ts';
import { maskRequestTarget } from '../masking/shown-target.ts';
import { STATUS_CODES } from '../node-http.ts';
import type { Runtime } from '../runtime.ts';
import { type ChannelRefusal, ChannelServer } from './channel-server.ts';
import { ConnectionsPerKeyLimiter } from './connections-by-key.ts';
import { answerAndEndConnection } from './end-connection.ts';
import { largestFrameBytes } from './largest-frame.ts';
import { closeCodes, Link } from './link.ts';
import { largestSharedFrameBytes, sharedSocketProtocol } from './shared-socket.ts';
import { DedicatedSocket } from './single-link-socket.ts';
import type { LinkSocket } from './socket.ts';

/**
 * One path at which WebSockets are served. `admit` runs before the upgrade. It returns the caller's identity, or a
 * refusal with a status.
 */
export interface LinkEndpoint<Identity> {
  // These functions are properties and not methods, because the compiler does not check whether a method accepts the
  // identity that `admit` returns.
  /**
   * Returns a key for the caller. Links of callers with the same key can share a socket (docs/decisions/0019). Without
   * this function, each link has its own socket.
   */
  readonly sharedBy?: (identity: Identity) => string;
  readonly admit: (request: Pick<IncomingMessage, 'headers'>) => Promise<Identity | ChannelRefusal>;
  readonly connected: (link: Link, identity: Identity) => void;
}

/**
 * Serves WebSocket links at the port of an HTTP server. `close` closes every link with the code for going away (1001).
 */
export class LinkServer {
  #runtime: Runtime;
  #endpoints = new Map<string, LinkEndpoint<never>>();
  #links = new Set<Link>();
  #shared = new Set<ChannelServer>();
  #sharedOfKey = new ConnectionsPerKeyLimiter<ChannelServer>((shared) =>
    shared.end(closeCodes.policy, 'there are too many sockets with one key'),
  );
  #ownSockets: WebSocketServer;
  #sharedSockets: WebSocketServer;
  /**
   * Resolves when the gateway starts again after a crash that did not end its process; undefined while the gateway is
   * running.
   */
  #away: PromiseWithResolvers<void> | undefined;

  constructor(server: Server, runtime: Runtime) {
    this.#runtime = runtime;
    const options = {
      noServer: true,
      perMessageDeflate: false,
      autoPong: false,
      clientTracking: false,
      ...({ closeTimeout: runtime.timeouts.lingerMs } as object), // this option is not in @types/ws yet
    };
    this.#ownSockets = new WebSocketServer({ ...options, maxPayload: largestFrameBytes });
    const shared = { maxPayload: largestSharedFrameBytes, handleProtocols: () => sharedSocketProtocol };
    this.#sharedSockets = new WebSocketServer({ ...options, ...shared });
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => socket.destroy());
      if (this.#away)
        void this.#away.promise.then(() => socket.destroyed || this.#take(request, socket, head));
      else this.#take(request, socket, head);
    });
  }

  /** Serves `endpoint` at `path`. */
  serve<Identity>(path: string, endpoint: LinkEndpoint<Identity>): void {
    this.#endpoints.set(path, endpoint as unknown as LinkEndpoint<never>);
  }

  close(): void {
    for (const link of this.#links) link.close(closeCodes.goingAway, 'the gateway shuts down');
    for (const shared of this.#shared) shared.close(closeCodes.goingAway, 'the gateway shuts down');
  }

  /** Cuts off every link that is still open. */
  terminate(): void {
    for (const link of this.#links) link.fail(closeCodes.goingAway, 'the gateway shut down');
    for (const shared of this.#shared) shared.terminate();
  }

  /**
   * Call this when the gateway crashes and its process continues. New callers then wait until {@link begin} is called.
   */
  die(): void {
    this.#away ??= Promise.withResolvers();
  }

  /** Lets the waiting callers in after {@link die}. The new endpoints must be served before this call. */
  begin(runtime: Runtime): void {
    this.#runtime = runtime;
    this.#away?.resolve();
    this.#away = undefined;
  }

  #take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const upgrading = this.#runtime.inFlight.begin();
    this.#upgrade(request, socket, head)
      .catch(() => this.#refuse(socket, 500, 'the gateway failed'))
      .finally(upgrading);
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const endpoint = this.#endpoints.get(path);
    if (!endpoint) return this.#refuse(socket, 404, `no link at ${maskCardNumbers(maskRequestTarget(path))}`);
    const identity = await admitted(endpoint, request);
    if ('refuse' in identity) return this.#refuse(socket, identity.refuse, identity.reason);
    const sharer = offersToShare(request) ? endpoint.sharedBy?.(identity as never) : undefined;
    if (sharer !== undefined)
      return this.#sharedSockets.handleUpgrade(request, socket, head, (webSocket) =>
        this.#share(webSocket, sharer, path, endpoint),
      );
    // The header is read here, before the link is made. If the link had the request, all headers would stay in memory
    // as long as the link exists.
    const id = this.#linkId(request.headers['pinpad-link']);
    this.#ownSockets.handleUpgrade(request, socket, head, (webSocket) =>
      this.#connected(new DedicatedSocket(webSocket), id, path, endpoint, identity),
    );
  }

  /**
   * Serves a shared socket. `sharer` is the key of the caller that opened the socket. Each channel is admitted with its
   * own headers.
   */
  #share(webSocket: WebSocket, sharer: string, path: string, endpoint: LinkEndpoint<never>): void {
    const shared = new ChannelServer(
      webSocket,
      this.#runtime,
      async (headers) => {
        const identity = await admitted(endpoint, { headers });
        if ('refuse' in identity) return identity;
        const id = this.#linkId(headers['pinpad-link']);
        return (channel) => this.#connected(channel, id, path, endpoint, identity);
      },
      () => {
        this.#shared.delete(shared);
        this.#sharedOfKey.remove(sharer, shared);
      },
    );
    this.#shared.add(shared);
    this.#sharedOfKey.add(sharer, shared);
  }

  #connected(
    socket: LinkSocket,
    id: string,
    path: string,
    endpoint: LinkEndpoint<never>,
    identity: object,
  ): void {
    const link = new Link(socket, id, path, this.#runtime);
    this.#links.add(link);
    link.onClosed(() => this.#links.delete(link));
    endpoint.connected(link, identity as never);
  }

  #linkId(given: string | string[] | undefined): string {
    return String(given ?? this.#runtime.identifiers.next()).slice(0, 64);
  }

  #refuse(socket: Duplex, status: number, reason: string): void {
    const body = JSON.stringify({ error: 'linkRefused', message: reason });
    answerAndEndConnection(
      socket,
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      this.#runtime.timeouts.lingerMs,
      this.#runtime.realClock,
    );
  }
}

async function admitted(
  endpoint: LinkEndpoint<never>,
  request: Pick<IncomingMessage, 'headers'>,
): Promise<object | ChannelRefusal> {
  return endpoint.admit(request);
}

function offersToShare({ headers }: IncomingMessage): boolean {
  const offered = String(headers['sec-websocket-protocol'] ?? '').split(',');
  return offered.some((protocol) => protocol.trim() === sharedSocketProtocol);
}

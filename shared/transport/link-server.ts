import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { maskCardNumbers } from '../masking/card-numbers.ts';
import { shownTarget } from '../masking/shown-target.ts';
import { STATUS_CODES } from '../node-http.ts';
import type { Runtime } from '../runtime.ts';
import { endConnection } from './end-connection.ts';
import { closeCodes, Link } from './link.ts';
import type { Socket } from './socket.ts';

/**
 * The largest frame a link takes, in bytes; larger ones close it with 1009. A request's reference may fill the 100 kB
 * of its body (B119); in the terminal's answer it stands four times, three of them percent-encoded.
 */
export const largestFrame = 2 * 1024 * 1024;

/** One WebSocket path. `admit` runs before the upgrade: it gives the caller's identity, or refuses with a status. */
export interface LinkEndpoint<Identity> {
  admit(request: IncomingMessage): Promise<Identity | { refuse: number; reason: string }>;
  connected(link: Link, identity: Identity): void;
}

/** Serves WebSocket links beside an HTTP server's requests. Closing it closes every link as going away. */
export class LinkServer {
  #runtime: Runtime;
  #endpoints = new Map<string, LinkEndpoint<never>>();
  #links = new Set<Link>();
  #socketServer: WebSocketServer;

  constructor(server: Server, runtime: Runtime) {
    this.#runtime = runtime;
    this.#socketServer = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: largestFrame,
      autoPong: false,
      clientTracking: false,
      ...({ closeTimeout: runtime.timeouts.lingerMs } as object), // not in @types/ws yet
    });
    server.on('upgrade', (request, socket, head) => {
      const upgrading = runtime.inFlight.begin();
      this.#upgrade(request, socket, head)
        .catch(() => this.#refuse(socket, 500, 'the gateway failed'))
        .finally(upgrading);
    });
  }

  /** Serves `endpoint` at `path`. */
  serve<Identity>(path: string, endpoint: LinkEndpoint<Identity>): void {
    this.#endpoints.set(path, endpoint as unknown as LinkEndpoint<never>);
  }

  close(): void {
    for (const link of this.#links) link.close(closeCodes.goingAway, 'the gateway shuts down');
  }

  /** Cuts off every link that is still open. */
  terminate(): void {
    for (const link of this.#links) link.fail(closeCodes.goingAway, 'the gateway shut down');
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const path = (request.url ?? '').split('?')[0] ?? '';
    const endpoint = this.#endpoints.get(path);
    if (!endpoint) return this.#refuse(socket, 404, `no link at ${maskCardNumbers(shownTarget(path))}`);
    const identity = (await endpoint.admit(request)) as { refuse?: number; reason?: string };
    if (identity.refuse !== undefined) return this.#refuse(socket, identity.refuse, identity.reason ?? '');
    // Taken here, because a link that could still reach its request would keep all of its headers in memory.
    const id = String(request.headers['pinpad-link'] ?? this.#runtime.identifiers.next()).slice(0, 64);
    this.#socketServer.handleUpgrade(request, socket, head, (webSocket) => {
      const link = new Link(webSocket as unknown as Socket, id, path, this.#runtime);
      this.#links.add(link);
      link.onClosed(() => this.#links.delete(link));
      endpoint.connected(link, identity as never);
    });
  }

  #refuse(socket: Duplex, status: number, reason: string): void {
    const body = JSON.stringify({ error: 'linkRefused', message: reason });
    endConnection(
      socket,
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      this.#runtime.timeouts.lingerMs,
      this.#runtime.realClock,
    );
  }
}

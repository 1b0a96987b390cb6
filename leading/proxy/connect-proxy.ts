import { timingSafeEqual } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { type AddressInfo, connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import { forwardRequest } from '../front/forward.ts';
import type { VendorServer } from '../front/vendor-server.ts';
import { dialUnredirectedHost } from './dial.ts';
import type { UsersProxyFinder } from './users-proxy.ts';

interface ConnectProxyParts {
  /** Whether calls to this host are redirected to the vendor server. */
  readonly isRedirected: (host: string, port: number) => boolean;
  readonly vendorServer: VendorServer;
  readonly proxies: UsersProxyFinder;
  readonly clock: Clock;
  readonly random: Random;
  /** How long the proxy waits for the first request of a connection. The default is 20 s. */
  readonly patienceMs?: number;
}

const loopback = '127.0.0.1';
const user = 'pinpad';
const mostConnections = 1_000;
const usualPatienceMs = 20_000;
const noPassword = 'use the password in the address of this proxy';
const challenge = 'Basic realm="pinpad as"';

/**
 * The proxy for a command. It passes calls for the vendor's hosts to the vendor server, and all other calls to the
 * hosts that they name. Calls for other hosts need a password. Only the command knows the password, because it is part
 * of the proxy's address. So other users of this machine cannot reach these other hosts through this proxy, or through
 * the user's own proxy behind it.
 */
export class ConnectProxy {
  readonly #server: Server;
  readonly #parts: ConnectProxyParts;
  readonly #password: string;
  readonly #tunnels = new Set<Socket>();
  #port = 0;

  constructor(parts: ConnectProxyParts) {
    this.#parts = parts;
    this.#password = Buffer.from(parts.random.bytes(18)).toString('base64url');
    const patienceMs = parts.patienceMs ?? usualPatienceMs;
    this.#server = createServer(
      { headersTimeout: patienceMs, connectionsCheckingInterval: patienceMs / 4 },
      (request, response) => void this.#pass(request, response),
    );
    this.#server.maxConnections = mostConnections;
    this.#server.on('connect', (request, socket: Socket, head) => {
      this.#keep(socket);
      void this.#tunnel(request, socket, head);
    });
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, loopback, () => {
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  get port(): number {
    return this.#port;
  }

  /** The proxy's address, which includes the password. Only the command may know it. */
  get url(): string {
    return `http://${user}:${this.#password}@${loopback}:${this.#port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    for (const socket of this.#tunnels) socket.destroy();
  }

  async #tunnel(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const [, host, port] = /^(\[[\da-f:.]+\]|[^\s:/@[\]]+):(\d{1,5})$/i.exec(request.url ?? '') ?? [];
    if (host === undefined || Number(port) < 1 || Number(port) > 65_535)
      return refuse(socket, 400, 'a CONNECT request must have a host and a port');
    const bare = host.replace(/^\[|\]$/g, '');
    const isRedirected = this.#parts.isRedirected(bare, Number(port));
    if (!isRedirected && !this.#isAllowed(request.headers['proxy-authorization']))
      return refuse(socket, 407, noPassword, [`Proxy-Authenticate: ${challenge}`]);
    try {
      const onward = isRedirected
        ? connect({ host: loopback, port: this.#parts.vendorServer.port, allowHalfOpen: true })
        : await dialUnredirectedHost(bare, Number(port), this.#parts.proxies, this.#parts.clock);
      this.#keep(onward);
      if (socket.destroyed) return void onward.destroy();
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) onward.write(head);
      join(socket, onward);
    } catch (error) {
      refuse(socket, 502, messageOf(error));
    }
  }

  /**
   * Passes on a request that came without a tunnel. Some clients, such as axios, open no tunnel even for `https:`
   * calls. They send the whole address to the proxy, and the proxy makes the call.
   */
  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '');
    const refused = (status: number, why: string, headers?: Record<string, string>) =>
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(said(why));
    if (!url || !/^https?:$/.test(url.protocol))
      return void refused(400, 'a request to a proxy must contain an absolute URL');
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    const path = url.pathname + url.search;
    if (this.#parts.isRedirected(host, port))
      return this.#parts.vendorServer.receive(request, response, path);
    if (!this.#isAllowed(request.headers['proxy-authorization']))
      return void refused(407, noPassword, { 'proxy-authenticate': challenge });
    try {
      const socket = await dialUnredirectedHost(host, port, this.#parts.proxies, this.#parts.clock);
      this.#keep(socket);
      const secured = () =>
        url.protocol === 'https:' ? connectTls({ socket, servername: isIP(host) ? '' : host }) : socket;
      const failed = (error: Error) => void refused(502, `${host}:${port}: ${error.message}`);
      forwardRequest(request, response, { url, path, by: { createConnection: secured } }, { failed });
    } catch (error) {
      refused(502, messageOf(error));
    }
  }

  #isAllowed(authorization: string | undefined): boolean {
    const [, credentials = ''] = /^basic +(\S+)$/i.exec(authorization ?? '') ?? [];
    const given = Buffer.from(credentials, 'base64');
    const right = Buffer.from(`${user}:${this.#password}`);
    return given.length === right.length && timingSafeEqual(given, right);
  }

  #keep(socket: Socket): void {
    this.#tunnels.add(socket);
    socket.once('close', () => this.#tunnels.delete(socket));
    socket.on('error', () => socket.destroy());
  }
}

/**
 * Connects two sockets. Each socket passes its bytes and its end on to the other. If one of them fails, the other is
 * reset.
 */
function join(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one);
  one.once('close', (failed) => failed && other.resetAndDestroy());
  other.once('close', (failed) => failed && one.resetAndDestroy());
}

function refuse(socket: Socket, status: number, why: string, headers: readonly string[] = []): void {
  const body = said(why);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...headers,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.resume();
}

function said(why: string): string {
  return `pinpad as: ${why}\n`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

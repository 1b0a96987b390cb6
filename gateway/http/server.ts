import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { makeCannotListenError } from '../../shared/cannot-listen.ts';
import { memoize } from '../../shared/memoize.ts';
import { createSecureServer, createServer, isTlsServer, STATUS_CODES } from '../../shared/node-http.ts';
import { toOriginForm } from '../../shared/request-target.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { answerAndEndConnection } from '../../shared/transport/end-connection.ts';
import type { Faults } from '../faults/faults.ts';
import { type App, createApp } from './app.ts';
import { ConnectionTracker } from './connections.ts';
import type { LazyDialect } from './dialect.ts';
import { ShuttingDownError } from './endpoint.ts';
import type { OtherGatewayChangeReader } from './endpoint-router.ts';
import { ApiError, type ErrorCode } from './errors.ts';
import { Exchange } from './exchange.ts';
import type { Authenticate } from './guards.ts';
import { type RateLimit, RateLimiter, type SharedRequestCounter } from './rate-limit.ts';
import { RequestDuplicator } from './request-duplicator.ts';
import type { ResourceEndpoints } from './resource.ts';
import { hasHeaderTwice } from './validate.ts';

export interface HttpServerOptions {
  resources: readonly ResourceEndpoints[];
  /** The resources of the control API. They are loaded at the first call of one of them. */
  control?: () => Promise<readonly ResourceEndpoints[]>;
  /** Other vendors' APIs. Each is loaded at its first call. */
  dialects?: readonly LazyDialect[];
  authenticate: Authenticate;
  /** The token of the control API. If it is absent, there is no control API. */
  controlToken?: string;
  /** If present, the server uses TLS with this certificate, and no terminal connects to its port. */
  tls?: { readonly certificatePem: string; readonly keyPem: string };
  /** Returns whether a request may use the control API without the control token. */
  admits?: (request: IncomingMessage) => boolean;
  rateLimit?: RateLimit;
  countTogether?: SharedRequestCounter;
  faults?: Faults;
  /** The other gateways of the database; absent if only this process uses the data. */
  others?: OtherGatewayChangeReader;
}

/** The WebSocket connections on the server's port. They are closed with the server. */
interface SharedLinks {
  close(): void;
  /** Cuts off the connections that are still open. */
  terminate(): void;
}

/**
 * Announces each server and its endpoints within the process. Tests use the announcements to check every answer
 * against the OpenAPI document.
 */
const announcements = channel('pinpad:http-server');

/** Serves the endpoints over HTTP. When the server is closed, it first answers the open requests. */
export class HttpServer {
  /** Node's server. The WebSocket connections use the same server and port. */
  readonly server: Server;
  #runtime: Runtime;
  #app: App;
  #exchanges = new Set<Exchange>();
  #connections: ConnectionTracker;
  #copies: RequestDuplicator;
  #stopping = false;
  #drained: (() => void) | undefined;
  /** The requests that came after the gateway crashed. They wait until the gateway has started again. */
  #waitingForRestart: (() => void)[] | undefined;

  constructor(options: HttpServerOptions, runtime: Runtime) {
    this.#runtime = runtime;
    const control = options.control && memoize(options.control);
    this.#app = appOf({ ...options, control }, runtime);
    const { headersMs, requestMs, keepAliveMs, sendMs } = runtime.timeouts;
    const { tls } = options;
    const create = tls ? createSecureServer : createServer;
    this.server = create({
      ...this.#app.classes,
      ...(tls && { cert: tls.certificatePem, key: tls.keyPem, handshakeTimeout: headersMs }),
      headersTimeout: headersMs,
      requestTimeout: Math.max(headersMs, requestMs),
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.ceil(Math.min(headersMs, requestMs) / 4),
      // Node must not check the Host header. It is checked below, so that the refusal of a wrong Host header has the
      // same form as all other errors.
      requireHostHeader: false,
      // Some clients, such as Java's, offer HTTP/2 (h2c) in their first request. The answer to this request uses
      // HTTP/1.1.
      shouldUpgradeCallback: (request: IncomingMessage) =>
        !tls && !this.#stopping && request.headers.upgrade?.toLowerCase() === 'websocket',
    } as object);
    this.#copies = new RequestDuplicator(this.server, runtime);
    this.#connections = new ConnectionTracker(this.server, sendMs, runtime);
    const receive = (request: IncomingMessage, response: ServerResponse) => this.#receive(request, response);
    this.server.on('request', receive);
    this.server.on('checkExpectation', receive);
    this.server.on('clientError', (error, socket) => this.#refuseMalformed(error, socket));
    const endpoints = memoize(async () => {
      const spoken = await Promise.all((options.dialects ?? []).map(({ open }) => open?.()));
      const others = spoken.flatMap((dialect) => dialect?.resources ?? []);
      return [...options.resources, ...((await control?.()) ?? []), ...others].flat();
    });
    // The endpoints of a server with TLS are not in the OpenAPI document.
    if (!tls) announcements.publish({ server: this.server, endpoints });
  }

  /** @throws StartError if the port is taken or the address does not belong to this machine */
  listen(host: string, port: number): Promise<{ port: number; url: string }> {
    return new Promise((resolve, reject) => {
      const refused = (error: NodeJS.ErrnoException) => reject(makeCannotListenError(error, host, port));
      this.server.once('error', refused);
      this.server.listen(port, host, () => {
        this.server.off('error', refused);
        const address = this.server.address() as AddressInfo;
        const scheme = isTlsServer(this.server) ? 'https' : 'http';
        resolve({ port: address.port, url: `${scheme}://${urlHost(host)}:${address.port}` });
      });
    });
  }

  /**
   * Ends open requests (B69), and answers new ones with 503. Then closes `links`, the connections on the same port, and
   * stops listening. Connections that are still open after `timeouts.shutdownMs` are cut off. That time is real time,
   * because it limits how long the process takes to end.
   */
  async close(links: SharedLinks = { close() {}, terminate() {} }): Promise<void> {
    this.#stopping = true;
    this.#copies.stop();
    const limit = this.#runtime.realClock.setTimeout(() => {
      links.terminate();
      this.#connections.destroyAll(); // each exchange ends when its connection ends
    }, this.#runtime.timeouts.shutdownMs);
    await this.#drain();
    links.close();
    if (this.server.listening) {
      await new Promise<void>((resolve) => {
        this.server.close(() => resolve());
        this.server.closeAllConnections();
        // Connections that are still in their TLS handshake are also broken off.
        if (isTlsServer(this.server)) this.#connections.destroyAll();
      });
    }
    this.#runtime.realClock.clearTimeout(limit);
    this.#connections.stop();
  }

  /**
   * Ends all work as if the gateway's process had crashed, but the process continues. Every connection ends without an
   * answer. The port stays open, and new requests wait until {@link begin} is called.
   */
  die(): void {
    this.#waitingForRestart = [];
    this.#exchanges.clear();
    this.#copies.stop();
    this.#connections.destroyAll();
  }

  /** Begins the gateway's next life after a crash. */
  begin(options: HttpServerOptions, runtime: Runtime): void {
    const early = this.#waitingForRestart ?? [];
    this.#waitingForRestart = undefined;
    this.#runtime = runtime;
    this.#copies = new RequestDuplicator(this.server, runtime);
    this.#app = appOf(
      { ...options, control: options.control && memoize(options.control) },
      runtime,
      this.#app,
    );
    for (const receive of early) receive();
  }

  async #drain(): Promise<void> {
    for (const exchange of this.#exchanges) {
      exchange.isClosing = true;
      exchange.abort(new ShuttingDownError());
    }
    if (this.#exchanges.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    if (this.#waitingForRestart) {
      this.#waitingForRestart.push(() => response.destroyed || this.#receive(request, response));
      return;
    }
    const exchange: Exchange = new Exchange({
      request,
      response,
      runtime: this.#runtime,
      copies: this.#copies,
      connection: this.#connections.numberOf(request.socket),
      ended: () => this.#ended(exchange),
    });
    this.#exchanges.add(exchange);
    exchange.isClosing = this.#stopping;
    if (this.#stopping) return exchange.fail(new ShuttingDownError());
    if (request.headers.host === undefined && request.httpVersion === '1.1')
      return exchange.fail(new ApiError('invalidRequest', { message: 'The Host header is missing' }));
    if (hasHeaderTwice(request, 'host'))
      return exchange.fail(new ApiError('invalidRequest', { message: 'There is more than one Host header' }));
    const path = toOriginForm(request.url ?? '');
    if (path === undefined)
      return exchange.fail(new ApiError('invalidRequest', { message: 'The address is not well-formed' }));
    request.url = path;
    this.#app.handle(request, response, exchange);
  }

  #ended(exchange: Exchange): void {
    this.#exchanges.delete(exchange);
    if (this.#exchanges.size === 0) this.#drained?.();
  }

  /** Answers a request that Node's HTTP parser refused. The answer has the same form as all other errors. */
  #refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (socket.writableEnded) return; // the request was answered already, and the connection is about to end
    const isNoRequest = error.code === 'ECONNRESET' || /^(ERR_(SSL|TLS)_|EPROTO$)/.test(error.code ?? '');
    if (isNoRequest || !socket.writable) return void socket.destroy();
    const known = new ApiError(parserErrors[error.code ?? ''] ?? 'invalidRequest', {
      ...(parserErrors[error.code ?? ''] ? {} : { message: 'The request is not well-formed HTTP' }),
    });
    const body = JSON.stringify(known.envelope);
    const requestId = this.#runtime.identifiers.next();
    this.#runtime.journal.add(
      'http.answered',
      { method: '', path: '', requestId, status: known.status, durationMs: 0 },
      { unauthenticated: true },
    );
    answerAndEndConnection(
      socket,
      `HTTP/1.1 ${known.status} ${STATUS_CODES[known.status]}\r\nRequest-Id: ${requestId}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      this.#runtime.timeouts.lingerMs,
      this.#runtime.realClock,
    );
  }
}

function appOf(
  { rateLimit, countTogether, ...options }: HttpServerOptions,
  runtime: Runtime,
  former?: App,
): App {
  const rateLimiter = rateLimit && new RateLimiter(runtime.clock, rateLimit, countTogether);
  return createApp({ ...options, rateLimiter, journal: runtime.journal }, former);
}

const parserErrors: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headersTooLarge',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payloadTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'requestTimeout',
};

function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

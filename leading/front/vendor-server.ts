import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Server, Agent as TlsAgent } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { makeCannotListenError } from '../../shared/cannot-listen.ts';
import type { KeyedCertificate } from '../../shared/certificates/certificate-authority.ts';
import { forwardRequest } from './forward.ts';

/** Returns the gateway's address; undefined while there is no gateway. */
export type GatewayAddressGetter = () => string | undefined;

/** The numbers of requests and connections that arrived at a vendor server. */
export interface VendorServerCounts {
  requests: number;
  /** The number of requests that the gateway answered with 401. */
  unauthorized: number;
  /** The number of requests that the gateway answered with 404. */
  unknown: number;
  /** The number of requests that no gateway answered. */
  unanswered: number;
  /**
   * The number of connections that ended before a request was sent over them. The usual reason is that the client does
   * not trust the certificate.
   */
  distrusted: number;
}

/**
 * A client's connection to the vendor server. For each client, the vendor server opens separate connections to the
 * gateway, as the client itself would.
 */
interface Caller {
  readonly agents: Map<string, Agent>;
  /** The connections to the gateway. */
  readonly onward: WeakSet<Socket>;
  /** The number of requests without an answer. */
  open: number;
}

const loopback = '127.0.0.1';
const mostConnections = 1_000;
/** The time limit of a handshake, and of a request's headers. */
const patienceMs = 20_000;

/**
 * The server that takes the place of a vendor's hosts. It listens on loopback, has a certificate for their names, and
 * passes requests on to a gateway.
 */
export class VendorServer {
  readonly counts: VendorServerCounts = {
    requests: 0,
    unauthorized: 0,
    unknown: 0,
    unanswered: 0,
    distrusted: 0,
  };
  readonly #server: Server;
  readonly #target: GatewayAddressGetter;
  readonly #connected = new Set<Socket>();
  /**
   * The remote ports of the connections that have sent a request. A connection is identified by its port, because its
   * TLS socket and its TCP socket are different objects.
   */
  readonly #portsWithRequest = new Set<number | undefined>();
  readonly #callers = new WeakMap<Socket, Caller>();

  constructor({ certificatePem, keyPem }: KeyedCertificate, target: GatewayAddressGetter) {
    this.#target = target;
    this.#server = createServer(
      {
        ...{ cert: certificatePem, key: keyPem, ALPNProtocols: ['http/1.1'] },
        ...{ handshakeTimeout: patienceMs, headersTimeout: patienceMs, keepAliveTimeout: 0 },
        connectionsCheckingInterval: patienceMs / 4,
      },
      (request, response) => {
        this.#portsWithRequest.add(request.socket.remotePort);
        this.receive(request, response, request.url ?? '/');
      },
    );
    this.#server.maxConnections = mostConnections;
    this.#server.on('connection', (socket: Socket) => this.#remember(socket));
  }

  /** @throws StartError if the port is taken, or if listening on it needs more rights */
  listen(port = 0): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error) => reject(makeCannotListenError(error, loopback, port)));
      this.#server.listen(port, loopback, () => resolve());
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts off the open connections. After that, the counts no longer change. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#connected) {
        this.#ended(socket, socket.remotePort);
        socket.destroy();
      }
    });
  }

  /**
   * Handles a request that the vendor server or the proxy has read. `path` is passed separately, because the first line
   * of the request may contain a whole URL instead of a path.
   */
  receive(request: IncomingMessage, response: ServerResponse, path: string): void {
    this.counts.requests++;
    const { socket } = request;
    const url = URL.parse(this.#target() ?? '');
    const caller = this.#callerOf(socket);
    // Ends the connection without an answer, as if the server had died. A point of sale must be able to handle this.
    const breakOff = () => {
      this.counts.unanswered++;
      socket.destroy();
    };
    if (!url) return breakOff();
    caller.open++;
    response.once('close', () => caller.open--);
    forwardRequest(
      request,
      response,
      { url, path, by: { agent: agentOf(caller, url) } },
      {
        connected: (onward) => endTogether(caller, socket, onward),
        answered: (status) => {
          if (status === 401) this.counts.unauthorized++;
          if (status === 404) this.counts.unknown++;
        },
        failed: breakOff,
      },
    );
  }

  #remember(socket: Socket): void {
    const { remotePort } = socket;
    this.#connected.add(socket);
    socket.once('close', () => this.#ended(socket, remotePort));
  }

  #ended(socket: Socket, remotePort: number | undefined): void {
    if (!this.#connected.delete(socket)) return;
    if (!this.#portsWithRequest.delete(remotePort)) this.counts.distrusted++;
  }

  #callerOf(socket: Socket): Caller {
    const known = this.#callers.get(socket);
    if (known) return known;
    const caller: Caller = { agents: new Map(), onward: new WeakSet(), open: 0 };
    this.#callers.set(socket, caller);
    socket.once('close', () => {
      for (const agent of caller.agents.values()) agent.destroy();
    });
    return caller;
  }
}

function agentOf({ agents }: Caller, { protocol }: URL): Agent {
  const options = { keepAlive: true, maxSockets: 1 };
  const agent = agents.get(protocol) ?? (protocol === 'https:' ? new TlsAgent(options) : new Agent(options));
  agents.set(protocol, agent);
  return agent;
}

/**
 * Closes the caller's connection when the gateway closes its own connection. Does this only if the caller has no open
 * request.
 */
function endTogether(caller: Caller, socket: Socket, onward: Socket): void {
  if (caller.onward.has(onward)) return;
  caller.onward.add(onward);
  onward.once('close', () => {
    if (caller.open === 0) socket.end();
  });
}

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { TimerHandle } from '../../shared/clock.ts';
import { isTlsServer } from '../../shared/node-http.ts';
import type { Runtime } from '../../shared/runtime.ts';

/**
 * Keeps a list of all connections to the port. The list includes connections that Node's server does not list:
 * upgraded connections, refused upgrades, and other protocols. If bytes wait for a client, and the client reads
 * nothing for `sendMs` of real time, the client's connection is broken off.
 */
export class ConnectionTracker {
  #sendMs: number;
  #realClock: Runtime['realClock'];
  /**
   * For each connection, the number of bytes that the client had read at the last check; undefined if no bytes waited
   * for the client.
   */
  #open = new Map<Socket, number | undefined>();
  #checkTimer: TimerHandle | undefined;
  #numbers = new WeakMap<Socket, number>();
  #count = 0;

  constructor(
    server: Server,
    sendMs: number,
    { realClock, timeWaits }: Pick<Runtime, 'realClock' | 'timeWaits'>,
  ) {
    this.#sendMs = sendMs;
    this.#realClock = realClock;
    server.on(isTlsServer(server) ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#watch(socket);
      this.#numbers.set(socket, ++this.#count);
      timeWaits.activity?.connected(socket);
      socket.once('close', () => timeWaits.activity?.disconnected(socket));
    });
    // With TLS, Node has two objects for a connection: the plain socket and the TLS socket above it. Both end together.
    // During the TLS handshake only the plain socket exists.
    if (isTlsServer(server)) server.on('connection', (socket: Socket) => this.#watch(socket));
  }

  /** Gives the number of a connection. The connections are counted from the start of the server. */
  numberOf(socket: Socket): number | undefined {
    return this.#numbers.get(socket);
  }

  /** Breaks all connections. */
  destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  /** Stops checking whether clients read what is sent to them. */
  stop(): void {
    this.#realClock.clearTimeout(this.#checkTimer);
    this.#checkTimer = undefined;
  }

  #watch(socket: Socket): void {
    this.#open.set(socket, undefined);
    socket.once('close', () => this.#open.delete(socket));
    this.#checkTimer ??= this.#realClock.setTimeout(() => this.#breakStuck(), this.#sendMs);
  }

  #breakStuck(): void {
    for (const [socket, before] of this.#open) {
      const waiting = socket.writableLength;
      const taken = waiting === 0 ? undefined : socket.bytesWritten - waiting;
      if (taken !== undefined && taken === before) socket.destroy();
      else this.#open.set(socket, taken);
    }
    this.#checkTimer =
      this.#open.size === 0 ? undefined : this.#realClock.setTimeout(() => this.#breakStuck(), this.#sendMs);
  }
}

import { connect, type Socket } from 'node:net';
import { delay, systemClock } from '../../../shared/clock.ts';

/**
 * The maximum number of connections at once. On many machines, the gateway and this process may each have 1 024
 * descriptors.
 */
const mostHeld = 450;
/**
 * The gateway destroys a connection at most this many milliseconds after the gateway has ended the connection
 * (`lingerMs`).
 */
const heldMs = 3_000;

interface Held {
  what: string;
  endedAt: number | undefined;
}

/**
 * Connections of hostile clients. These clients never end a connection, and do not answer when the gateway ends one. So
 * the gateway has to end and destroy all of them.
 */
export class HostileSockets {
  opened = 0;
  #held = new Map<Socket, Held>();
  #port: number;
  #hostname: string;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#hostname = hostname;
    this.#port = Number(port);
  }

  /**
   * Connects and sends something in pieces. Returns undefined if too many connections are open.
   * @param what the name of the connection in the report, which is needed if the gateway never ends the connection
   * @param reads false for a client that never reads an answer
   */
  dial(what: string, pieces: readonly (string | Uint8Array)[], reads = true): Socket | undefined {
    if (this.#held.size >= mostHeld && !this.#makeRoom()) return undefined;
    this.opened++;
    const held: Held = { what, endedAt: undefined };
    const socket = connect({ host: this.#hostname, port: this.#port, allowHalfOpen: true });
    this.#held.set(socket, held);
    socket.on('error', () => {});
    socket.on('close', () => this.#held.delete(socket));
    socket.on('end', () => {
      held.endedAt = performance.now();
    });
    socket.on('connect', () => {
      for (const piece of pieces) socket.write(piece);
    });
    if (reads) socket.resume();
    return socket;
  }

  /**
   * Waits for at most `limitMs`. Resolves to the connections that the gateway has not ended within that time,
   * although neither side sends anything.
   */
  async leftAfter(limitMs: number): Promise<string[]> {
    const untilMs = performance.now() + limitMs;
    const left = () => [...this.#held.values()].filter(({ endedAt }) => endedAt === undefined);
    // the end of a connection counts even if it comes after bytes that the client has not read
    for (const socket of this.#held.keys()) socket.resume();
    while (left().length > 0 && performance.now() < untilMs) await delay(systemClock, 50);
    return left().map(({ what }) => what);
  }

  /** Destroys the clients' ends of all connections. */
  destroyAll(): void {
    for (const socket of this.#held.keys()) socket.destroy();
  }

  #makeRoom(): boolean {
    for (const [socket, { endedAt }] of this.#held) {
      if (endedAt === undefined || performance.now() - endedAt < heldMs) continue;
      this.#held.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }
}

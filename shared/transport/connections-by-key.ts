/**
 * The maximum number of connections with the same key. A process needs only one connection. The number is limited,
 * because each connection can use memory for bytes that the other end does not read.
 */
export const maxConnectionsPerKey = 4;

interface Connection {
  /** The moment when something last arrived on the connection, in milliseconds of the monotonic clock. */
  readonly unusedSince: number;
}

/**
 * Keeps at most {@link maxConnectionsPerKey} connections with the same key. If another connection with the key is opened, ends
 * the connection that has been unused for the longest time (B193).
 */
export class ConnectionsPerKeyLimiter<C extends Connection> {
  readonly #connections = new Map<string, Set<C>>();
  readonly #end: (connection: C) => void;

  constructor(end: (connection: C) => void) {
    this.#end = end;
  }

  add(key: string, connection: C): void {
    const standing = this.#connections.get(key) ?? new Set();
    this.#connections.set(key, standing);
    const former = [...standing];
    standing.add(connection);
    if (former.length < maxConnectionsPerKey) return;
    const unusedLongest = former.reduce((one, other) => (other.unusedSince < one.unusedSince ? other : one));
    this.remove(key, unusedLongest);
    this.#end(unusedLongest);
  }

  remove(key: string, connection: C): void {
    const standing = this.#connections.get(key);
    if (standing?.delete(connection) && standing.size === 0) this.#connections.delete(key);
  }
}

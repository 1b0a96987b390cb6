import { type ByteTransport, TransportClosedError, type Unsubscribe } from '../reader-driver.ts';

/** Makes the two ends of a line in memory. What is written at one end arrives at the listeners of the other end. */
export function createMemoryLine(name = 'memory'): [ByteTransport, ByteTransport] {
  const left = new MemoryTransport(name);
  const right = new MemoryTransport(name);
  left.connect(right);
  right.connect(left);
  return [left, right];
}

class MemoryTransport implements ByteTransport {
  readonly name: string;
  #peer: MemoryTransport | undefined;
  #data = new Set<(bytes: Uint8Array) => void>();
  #closed = new Set<(why: string) => void>();
  #why: string | undefined;

  constructor(name: string) {
    this.name = name;
  }

  connect(peer: MemoryTransport): void {
    this.#peer = peer;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#why !== undefined) throw new TransportClosedError(this.#why);
    const copy = Uint8Array.from(bytes);
    // As on a real line, the bytes arrive only after `write` has returned. Drivers must cope with that.
    queueMicrotask(() => this.#peer?.receive(copy));
  }

  onData(listener: (bytes: Uint8Array) => void): Unsubscribe {
    this.#data.add(listener);
    return () => this.#data.delete(listener);
  }

  onClosed(listener: (why: string) => void): Unsubscribe {
    if (this.#why !== undefined) listener(this.#why);
    else this.#closed.add(listener);
    return () => this.#closed.delete(listener);
  }

  async close(): Promise<void> {
    this.end('closed');
    this.#peer?.end('the other end closed');
  }

  receive(bytes: Uint8Array): void {
    if (this.#why !== undefined) return;
    for (const listener of this.#data) listener(bytes);
  }

  end(why: string): void {
    if (this.#why !== undefined) return;
    this.#why = why;
    const listeners = [...this.#closed];
    this.#closed.clear();
    for (const listener of listeners) listener(why);
  }
}

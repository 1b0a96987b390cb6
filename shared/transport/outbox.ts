/**
 * The maximum number of frames that are given to the socket at once. Node takes the memory for the head of each frame
 * from a pool of 64 kB, and keeps the whole pool as long as one of the heads in it is needed. So if a peer does not
 * read, the frames that were given to the socket could use far more memory than their own size.
 */
const mostGiven = 64;
/**
 * The memory, in bytes, that a waiting frame uses in addition to its content. Measurements showed roughly 550 bytes for
 * each frame, and a few more bytes for each record.
 */
const frameOverhead = 1_024;

interface Frame {
  readonly bytes: number;
  readonly give: (written: (error?: Error | null) => void) => void;
  readonly written: (() => void) | undefined;
  next: Frame | undefined;
}

/** The frames that wait to be written on a WebSocket, in their order. */
export class FrameOutbox {
  #bytes = 0;
  /** The number of frames that were given to the socket and are not written yet. */
  #given = 0;
  #first: Frame | undefined;
  #last: Frame | undefined;

  /** The memory that all waiting frames take, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Whether a frame that is added now has to wait. If so, the content of the frame should be in a buffer of its own,
   * because the content stays in memory for a long time.
   */
  get behind(): boolean {
    return this.#given >= mostGiven;
  }

  /**
   * Adds a frame with `length` bytes of content. `give` has to pass the frame to the socket, and to report when the
   * frame was written.
   */
  put(length: number, give: Frame['give'], written?: () => void): void {
    const frame: Frame = { bytes: length + frameOverhead, give, written, next: undefined };
    this.#bytes += frame.bytes;
    if (!this.behind) return this.#give(frame);
    if (this.#last) this.#last.next = frame;
    else this.#first = frame;
    this.#last = frame;
  }

  /** Passes all waiting frames to the socket. */
  empty(): void {
    for (let frame = this.#taken(); frame; frame = this.#taken()) this.#give(frame);
  }

  #give(frame: Frame): void {
    this.#given++;
    frame.give((error) => {
      this.#given--;
      this.#bytes -= frame.bytes;
      frame.written?.();
      const next = error || this.behind ? undefined : this.#taken();
      if (next) this.#give(next);
    });
  }

  #taken(): Frame | undefined {
    const frame = this.#first;
    this.#first = frame?.next;
    if (!this.#first) this.#last = undefined;
    return frame;
  }
}

/** Copies data into a buffer of its own, so that the data do not keep a larger buffer in memory. */
export function copyToOwnBuffer(data: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(data.length);
  data.copy(copy);
  return copy;
}

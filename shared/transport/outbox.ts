/**
 * The most frames that are given to the socket at once. Each has a few bytes of head in a piece of memory that Node cuts from 64 kB
 * and keeps as long as any piece lives, so a peer that does not read could hold far more memory than the frames that wait for it have.
 */
const mostGiven = 64;
/** The memory that a frame takes beside its content until it is written, in bytes: about 550, and a few for each record in it. */
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
  #given = 0;
  #first: Frame | undefined;
  #last: Frame | undefined;

  /** The memory that all waiting frames take, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a frame that comes now has to wait here: then its content should be in memory of its own. */
  get behind(): boolean {
    return this.#given >= mostGiven;
  }

  /** `give` hands the socket a frame with that many bytes of content, and reports when it was written. */
  put(length: number, give: Frame['give'], written?: () => void): void {
    const frame: Frame = { bytes: length + frameOverhead, give, written, next: undefined };
    this.#bytes += frame.bytes;
    if (!this.behind) return this.#give(frame);
    if (this.#last) this.#last.next = frame;
    else this.#first = frame;
    this.#last = frame;
  }

  /** Hands the socket all frames that wait. */
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

/** Memory of its own, which keeps nothing else from being freed. */
export function ownCopy(data: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(data.length);
  data.copy(copy);
  return copy;
}

/** What came off a serial line to or from a CCID reader. */
export type CcidLineEvent =
  | { readonly kind: 'message'; readonly bytes: Uint8Array }
  /** The other end did not understand our last frame and wants it again. */
  | { readonly kind: 'repeat' }
  /** The reader is alive and still working. */
  | { readonly kind: 'working' }
  | { readonly kind: 'card'; readonly present: boolean }
  /** Something happened in another slot. */
  | { readonly kind: 'elsewhere' }
  /** A frame that was damaged, or bytes that belong to none; `bytes` is how many were dropped. */
  | { readonly kind: 'garbage'; readonly bytes: number };

/** How CCID messages are wrapped on a serial line. The decoder takes bytes in any portions. */
export interface CcidFraming {
  readonly name: 'GemPC' | 'ACS';
  /** Where the chip is. */
  readonly slot: number;
  /** What XfrBlock carries: the T=0 or T=1 of the card, or commands whose protocol is the reader's business. */
  readonly carries: 'TPDU' | 'APDU';
  wrap(message: Uint8Array): Uint8Array;
  /** Asks the other end for its last frame again. */
  readonly repeatRequest: Uint8Array;
  createDecoder(): CcidDecoder;
}

export interface CcidDecoder {
  /** A frame was begun and its rest is awaited. */
  readonly partial: boolean;
  feed(chunk: Uint8Array): CcidLineEvent[];
  /** Drops a frame that was begun, when its rest does not come. */
  reset(): void;
}

/** XOR of all bytes. */
export function xorOf(bytes: Uint8Array): number {
  let xor = 0;
  for (const byte of bytes) xor ^= byte;
  return xor;
}

/** What the start of the buffer holds: an event and how many bytes it took, or nothing complete yet. */
export type Taken = { take: number; event?: CcidLineEvent } | 'incomplete';

/**
 * Runs `take` over the bytes as they come. Bytes no frame begins with are dropped one by one, so that the
 * decoder finds the next frame after any damage.
 */
export function decoderOf(take: (buffer: Uint8Array) => Taken): CcidDecoder {
  let buffer = new Uint8Array();
  return {
    get partial() {
      return buffer.length > 0;
    },
    feed(chunk) {
      const events: CcidLineEvent[] = [];
      let garbage = 0;
      let rest = Uint8Array.from(Buffer.concat([buffer, chunk]));
      while (rest.length > 0) {
        const taken = take(rest);
        if (taken === 'incomplete') break;
        // What looks like a notification within a damaged frame is a piece of its data.
        const event = taken.event?.kind === 'card' && garbage > 0 ? undefined : taken.event;
        if (event) events.push(event);
        else garbage += taken.take;
        rest = rest.subarray(taken.take);
      }
      buffer = Uint8Array.from(rest);
      if (garbage > 0) events.push({ kind: 'garbage', bytes: garbage });
      return events;
    },
    reset() {
      buffer = new Uint8Array();
    },
  };
}

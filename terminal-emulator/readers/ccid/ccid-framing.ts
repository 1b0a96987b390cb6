/** An event on a serial line to or from a CCID reader. */
export type CcidLineEvent =
  | { readonly kind: 'message'; readonly bytes: Uint8Array }
  /** The other end did not understand the last frame and wants it again. */
  | { readonly kind: 'repeat' }
  /** The reader is alive and still working. */
  | { readonly kind: 'working' }
  | { readonly kind: 'card'; readonly present: boolean }
  /** A card was put in or taken out in another slot. */
  | { readonly kind: 'elsewhere' }
  /** A damaged frame, or bytes that belong to no frame; `bytes` is how many were dropped. */
  | { readonly kind: 'garbage'; readonly bytes: number };

/** How CCID messages are wrapped on a serial line. The decoder takes bytes in any portions. */
export interface CcidFraming {
  readonly name: 'GemPC' | 'ACS';
  /** The number of the slot that has the chip. */
  readonly slot: number;
  /**
   * The contents of XfrBlock: TPDUs of the card's T=0 or T=1, or whole APDUs, for which the reader speaks the protocol.
   */
  readonly carries: 'TPDU' | 'APDU';
  wrap(message: Uint8Array): Uint8Array;
  /** The bytes that ask the other end for its last frame again. */
  readonly repeatRequest: Uint8Array;
  createDecoder(): CcidDecoder;
}

export interface CcidDecoder {
  /** Whether a frame has begun and its rest is awaited. */
  readonly partial: boolean;
  feed(chunk: Uint8Array): CcidLineEvent[];
  /** Drops a frame that has begun, because its rest does not come. */
  reset(): void;
}

/** The start of the buffer: an event and the number of its bytes, or `incomplete`. */
export type Taken = { take: number; event?: CcidLineEvent } | 'incomplete';

/**
 * Runs `take` over the bytes as they come. A byte that begins no frame is dropped, so the decoder finds the next frame
 * after any damage.
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
        // Within a damaged frame, bytes that look like a notification are a piece of the frame's data.
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

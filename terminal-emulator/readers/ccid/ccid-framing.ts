/** An event on the serial line between a host and a CCID reader. */
export type CcidLineEvent =
  | { readonly kind: 'message'; readonly bytes: Uint8Array }
  /** The receiver did not understand the last frame and asks the sender for it again. */
  | { readonly kind: 'repeat' }
  /** The reader reports that it still works on the command. */
  | { readonly kind: 'working' }
  | { readonly kind: 'card'; readonly present: boolean }
  /** A card was put into, or taken out of, a slot other than the chip's slot. */
  | { readonly kind: 'elsewhere' }
  /** The decoder dropped a damaged frame, or bytes that belong to no frame; `bytes` is the number of dropped bytes. */
  | { readonly kind: 'garbage'; readonly bytes: number };

/** How a kind of reader puts CCID messages into frames on a serial line. */
export interface CcidFraming {
  readonly name: 'GemPC' | 'ACS';
  /** The number of the slot that has the chip. */
  readonly slot: number;
  /**
   * The content of an XfrBlock message. `TPDU`: the units of the card's protocol, T=0 or T=1. `APDU`: whole commands,
   * for which the reader itself speaks the card's protocol.
   */
  readonly carries: 'TPDU' | 'APDU';
  wrap(message: Uint8Array): Uint8Array;
  /** The bytes that ask the other side to send its last frame again. Host and reader send the same bytes. */
  readonly repeatRequest: Uint8Array;
  createDecoder(): CcidDecoder;
}

export interface CcidDecoder {
  /** Whether a frame has begun but not ended yet. */
  readonly partial: boolean;
  feed(chunk: Uint8Array): CcidLineEvent[];
  /** Drops an unfinished frame, because the rest of it does not arrive. */
  reset(): void;
}

/**
 * The result of reading the beginning of the buffer: the number of bytes to take out of the buffer, and the event
 * that these bytes mean, if any. The result is `incomplete` if more bytes are needed.
 */
export type FrameParseResult = { take: number; event?: CcidLineEvent } | 'incomplete';

/**
 * Makes a decoder, which turns the bytes that arrive into events. The decoder calls `take` to read the next frame. A
 * byte that begins no frame is dropped, so the decoder finds the next frame after any damage.
 */
export function createCcidDecoder(take: (buffer: Uint8Array) => FrameParseResult): CcidDecoder {
  let buffer = new Uint8Array();
  let damaged = false;
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
        // After dropped bytes, the decoder ignores reports of a card until the next whole frame. Bytes that look like
        // such a report may be data of a damaged frame, and the rest of that frame may arrive in a later chunk.
        const event = taken.event?.kind === 'card' && damaged ? undefined : taken.event;
        if (event) events.push(event);
        else garbage += taken.take;
        damaged = event === undefined || (damaged && event.kind === 'elsewhere');
        rest = rest.subarray(taken.take);
      }
      buffer = Uint8Array.from(rest);
      if (garbage > 0) events.push({ kind: 'garbage', bytes: garbage });
      return events;
    },
    reset() {
      buffer = new Uint8Array();
      damaged = false;
    },
  };
}

import { concatBytes } from '../hex.ts';

/** An event on a PN532's serial line, in either direction (PN532 user manual §6.2.1). */
export type Pn532Frame =
  | { readonly type: 'ack' }
  | { readonly type: 'nack' }
  /** The receiver did not understand a frame, and answered with the application level error frame. */
  | { readonly type: 'error' }
  /** A frame of the right length with a wrong checksum. It can be requested again. */
  | { readonly type: 'damaged' }
  /** A frame with data. `tfi` is D4 from the host and D5 from the chip; `data` begins with the code of the command. */
  | { readonly type: 'data'; readonly tfi: number; readonly data: Uint8Array };

export const tfiFromHost = 0xd4;
export const tfiFromChip = 0xd5;

export const ackFrame = Uint8Array.of(0x00, 0x00, 0xff, 0x00, 0xff, 0x00);
export const nackFrame = Uint8Array.of(0x00, 0x00, 0xff, 0xff, 0x00, 0x00);
export const errorFrame = Uint8Array.of(0x00, 0x00, 0xff, 0x01, 0xff, 0x7f, 0x81, 0x00);
/** Wakes the chip. The command has to follow at once. */
export const wakeUpBytes = Uint8Array.of(0x55, 0x55, ...new Array<number>(14).fill(0));

/** The maximum length in a frame: 264 bytes of data, and the TFI. A larger number is noise that looks like a length. */
const longestLength = 265;

/** Makes a normal frame or, if the data is too long for that, an extended frame. */
export function encodeFrame(tfi: number, data: Uint8Array): Uint8Array {
  const length = data.length + 1;
  if (length > longestLength) throw new RangeError(`a PN532 frame holds at most ${longestLength - 1} bytes`);
  const header =
    length <= 0xff
      ? [length, negative(length)]
      : [0xff, 0xff, length >> 8, length & 0xff, negative((length >> 8) + length)];
  const checksum = negative(tfi + sum(data));
  return concatBytes(Uint8Array.of(0x00, 0x00, 0xff, ...header, tfi), data, Uint8Array.of(checksum, 0x00));
}

/**
 * Finds frames in the bytes that arrive, whether a frame comes in parts or several come together. Bytes outside frames
 * are skipped. The parser keeps at most the bytes of one frame.
 */
export class Pn532FrameParser {
  #buffer: Uint8Array = new Uint8Array();

  feed(chunk: Uint8Array): Pn532Frame[] {
    this.#buffer = concatBytes(this.#buffer, chunk);
    const frames: Pn532Frame[] = [];
    for (;;) {
      const start = startOfFrame(this.#buffer);
      this.#buffer = this.#buffer.subarray(start);
      const found = parseFrame(this.#buffer);
      if (found === 'incomplete') break;
      if (found.frame) frames.push(found.frame);
      this.#buffer = this.#buffer.subarray(found.consumed);
    }
    // The remaining bytes are copied, so that the skipped bytes do not stay in memory.
    this.#buffer = Uint8Array.from(this.#buffer);
    return frames;
  }

  /** Drops a frame that has begun. */
  reset(): void {
    this.#buffer = new Uint8Array();
  }
}

/**
 * Gives the position of the next start code 00 FF. A 00 at the very end may begin a start code, so it counts as a start
 * code. If there is no start code, gives the length of the bytes.
 */
function startOfFrame(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 0x00) continue;
    if (at + 1 === bytes.length || bytes[at + 1] === 0xff) return at;
  }
  return bytes.length;
}

interface Found {
  readonly frame?: Pn532Frame;
  readonly consumed: number;
}

/** No frame begins here. Only one byte is skipped, so that a frame inside the other bytes is still found. */
const noFrame: Found = { consumed: 1 };

/**
 * Parses a frame that begins with 00 FF. The postamble is left in the buffer, because it also serves as the next
 * preamble.
 */
function parseFrame(bytes: Uint8Array): Found | 'incomplete' {
  if (bytes.length < 4) return 'incomplete';
  const [, , length = 0, check = 0] = bytes;
  if (length === 0x00 && check === 0xff) return { frame: { type: 'ack' }, consumed: 4 };
  if (length === 0xff && check === 0x00) return { frame: { type: 'nack' }, consumed: 4 };
  if (length !== 0xff || check !== 0xff) {
    return negative(length) === check ? parseBody(bytes, 4, length) : noFrame;
  }
  if (bytes.length < 7) return 'incomplete';
  const [high = 0, low = 0, extendedCheck = 0] = bytes.subarray(4, 7);
  return negative(high + low) === extendedCheck ? parseBody(bytes, 7, high * 256 + low) : noFrame;
}

function parseBody(bytes: Uint8Array, start: number, length: number): Found | 'incomplete' {
  if (length === 0 || length > longestLength) return noFrame;
  const end = start + length;
  if (bytes.length <= end) return 'incomplete';
  const body = bytes.subarray(start, end);
  if (negative(sum(body)) !== bytes[end]) return { frame: { type: 'damaged' }, consumed: 1 };
  const consumed = end + 1;
  const [tfi = 0] = body;
  if (length === 1 && tfi === 0x7f) return { frame: { type: 'error' }, consumed };
  return { frame: { type: 'data', tfi, data: Uint8Array.from(body.subarray(1)) }, consumed };
}

function sum(bytes: Uint8Array): number {
  return bytes.reduce((total, byte) => total + byte, 0);
}

/** Gives the byte that, added to `value`, makes 0 modulo 256. */
function negative(value: number): number {
  return -value & 0xff;
}

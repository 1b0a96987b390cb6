import { concatBytes } from '../hex.ts';
import { crc16 } from './crc16.ts';

/** `ViVOtech2` and a zero byte. Every frame begins with these bytes, in both directions. */
const signature = Uint8Array.of(0x56, 0x69, 0x56, 0x4f, 0x74, 0x65, 0x63, 0x68, 0x32, 0x00);
const headerLength = signature.length + 4;
/**
 * The maximum number of data bytes in a frame. Answers are much shorter, so a larger number is noise that looks like a
 * length.
 */
const longestData = 8_192;

/** A reader's answer: the command that is answered, the status, and data. */
export interface VivoResponse {
  readonly command: number;
  readonly status: number;
  readonly data: Uint8Array;
}

/** Makes the frame of a command. Its checksum has the low byte first, unlike the checksum of an answer. */
export function encodeVivoCommand(command: number, subCommand: number, data: Uint8Array): Uint8Array {
  const body = encodeFrameBody(command, subCommand, data);
  const crc = crc16(body);
  return Uint8Array.of(...body, crc & 0xff, crc >> 8);
}

/** Makes a frame without its checksum. `second` is the sub-command, or the status in an answer. */
export function encodeFrameBody(command: number, second: number, data: Uint8Array): Uint8Array {
  return concatBytes(signature, Uint8Array.of(command, second, data.length >> 8, data.length & 0xff), data);
}

/** Finds a reader's answers in the bytes that arrive, even if an answer comes in parts. Other bytes are skipped. */
export class VivoDecoder {
  #buffer: Uint8Array = new Uint8Array();

  feed(chunk: Uint8Array): VivoResponse[] {
    this.#buffer = concatBytes(this.#buffer, chunk);
    const responses: VivoResponse[] = [];
    for (;;) {
      this.#buffer = this.#buffer.slice(startOf(this.#buffer));
      if (this.#buffer.length < headerLength) return responses;
      const length = (this.#buffer[12] ?? 0) * 256 + (this.#buffer[13] ?? 0);
      const end = headerLength + length + 2;
      if (length <= longestData && this.#buffer.length < end) return responses;
      const response = length <= longestData ? decode(this.#buffer.subarray(0, end)) : undefined;
      if (response) responses.push(response);
      this.#buffer = this.#buffer.slice(response ? end : 1);
    }
  }

  /** Drops a frame that has begun. */
  reset(): void {
    this.#buffer = new Uint8Array();
  }
}

/**
 * Gives the position of the signature. If the bytes end with only the beginning of a signature, gives the position of
 * this beginning.
 */
function startOf(buffer: Uint8Array): number {
  for (let at = 0; at < buffer.length; at++) {
    const seen = buffer.subarray(at, at + signature.length);
    if (seen.every((byte, index) => byte === signature[index])) return at;
  }
  return buffer.length;
}

function decode(frame: Uint8Array): VivoResponse | undefined {
  const end = frame.length - 2;
  const crc = (frame[end] ?? 0) * 256 + (frame[end + 1] ?? 0);
  if (crc !== crc16(frame.subarray(0, end))) return undefined;
  return { command: frame[10] ?? 0, status: frame[11] ?? 0, data: frame.slice(headerLength, end) };
}

/** One BER-TLV data object (ISO/IEC 8825-1, with the restrictions of EMV Book 3 Annex B). */
export interface Tlv {
  /** The tag's bytes as one number, such as 0x9F38. */
  readonly tag: number;
  readonly value: Uint8Array;
  /** The objects inside, if the tag marks the value as constructed. */
  readonly children?: readonly Tlv[];
}

/**
 * Thrown if the bytes are not well-formed TLV, or if they exceed the limits of a card. The message contains no value.
 */
export class TlvError extends Error {}

/** Limits that no card reaches: a whole response APDU has at most 64 kB. */
const limits = { bytes: 65_536, objects: 1_024, depth: 8 };

/**
 * Parses a row of data objects. A truncated object, an indefinite length, or a length field of more than two bytes is
 * refused. Padding with 00 or FF between objects is skipped. With `ffIsTag`, only 00 is skipped, because some readers
 * use private tags such as FFEE01.
 *
 * @throws TlvError
 */
export function parseTlv(bytes: Uint8Array, options: { ffIsTag?: boolean } = {}): Tlv[] {
  if (bytes.length > limits.bytes) throw new TlvError(`longer than ${limits.bytes} bytes`);
  const parser = { bytes, at: 0, objects: 0, ffIsTag: options.ffIsTag ?? false };
  return parseRow(parser, bytes.length, 1);
}

interface Parser {
  readonly bytes: Uint8Array;
  readonly ffIsTag: boolean;
  at: number;
  objects: number;
}

function parseRow(parser: Parser, end: number, depth: number): Tlv[] {
  if (depth > limits.depth) throw new TlvError(`nested deeper than ${limits.depth}`);
  const row: Tlv[] = [];
  for (;;) {
    skipPadding(parser, end);
    if (parser.at >= end) return row;
    if (++parser.objects > limits.objects) throw new TlvError(`more than ${limits.objects} objects`);
    const constructed = ((parser.bytes[parser.at] ?? 0) & 0x20) !== 0;
    const tag = readTag(parser, end);
    const length = readLength(parser, end);
    if (length > end - parser.at) throw new TlvError('a length reaches past the end');
    const value = parser.bytes.subarray(parser.at, parser.at + length);
    if (constructed) {
      row.push({ tag, value, children: parseRow(parser, parser.at + length, depth + 1) });
    } else {
      parser.at += length;
      row.push({ tag, value });
    }
  }
}

function skipPadding(parser: Parser, end: number): void {
  while (parser.at < end) {
    const byte = parser.bytes[parser.at];
    if (byte !== 0x00 && (byte !== 0xff || parser.ffIsTag)) return;
    parser.at++;
  }
}

/**
 * Reads a tag. If the low five bits of its first byte are all set, the tag has more bytes: it ends with the first
 * further byte whose top bit is clear. A tag has at most four bytes.
 */
function readTag(parser: Parser, end: number): number {
  let tag = next(parser, end);
  if ((tag & 0x1f) !== 0x1f) return tag;
  for (let count = 2; ; count++) {
    if (count > 4) throw new TlvError('a tag is longer than four bytes');
    const byte = next(parser, end);
    tag = tag * 256 + byte;
    if ((byte & 0x80) === 0) return tag;
  }
}

function readLength(parser: Parser, end: number): number {
  const first = next(parser, end);
  if (first < 0x80) return first;
  if (first === 0x81) return next(parser, end);
  if (first === 0x82) return next(parser, end) * 256 + next(parser, end);
  throw new TlvError('a length is indefinite or longer than two bytes');
}

function next(parser: Parser, end: number): number {
  if (parser.at >= end) throw new TlvError('ends within an object');
  return parser.bytes[parser.at++] ?? 0;
}

/** Finds the first object with this tag, at any depth, in the order of the bytes. */
export function findTlv(row: readonly Tlv[], tag: number): Tlv | undefined {
  for (const object of row) {
    if (object.tag === tag) return object;
    const inside = object.children && findTlv(object.children, tag);
    if (inside) return inside;
  }
  return undefined;
}

/** Finds every object with this tag, at any depth, but not inside another object with the same tag. */
export function findAllTlv(row: readonly Tlv[], tag: number): Tlv[] {
  return row.flatMap((object) => {
    if (object.tag === tag) return [object];
    return object.children ? findAllTlv(object.children, tag) : [];
  });
}

/** Makes the bytes of one data object. For a constructed object, `value` is the list of the objects in it. */
export function encodeTlv(tag: number, value: Uint8Array | readonly Uint8Array[]): Uint8Array {
  const content = value instanceof Uint8Array ? value : Buffer.concat(value);
  return Uint8Array.from([...tagBytes(tag), ...lengthBytes(content.length), ...content]);
}

function tagBytes(tag: number): number[] {
  const bytes: number[] = [];
  for (let rest = tag; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return bytes;
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  if (length < 0x100) return [0x81, length];
  if (length < 0x10000) return [0x82, length >> 8, length & 0xff];
  throw new TlvError('too long to encode');
}

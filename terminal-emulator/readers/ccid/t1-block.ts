import { xorOf } from '../hex.ts';
/** One block of T=1 (ISO/IEC 7816-3 §11.3). Its address byte (NAD) is 00 and its checksum an LRC. */
export type T1Block =
  | { readonly kind: 'I'; readonly number: 0 | 1; readonly more: boolean; readonly data: Uint8Array }
  | { readonly kind: 'R'; readonly number: 0 | 1; readonly error: 'none' | 'checksum' | 'other' }
  | {
      readonly kind: 'S';
      readonly what: 'resynch' | 'ifs' | 'abort' | 'wtx';
      readonly request: boolean;
      readonly data: Uint8Array;
    };

const supervisory = ['resynch', 'ifs', 'abort', 'wtx'] as const;

export function encodeT1(block: T1Block): Uint8Array {
  const data = block.kind === 'R' ? new Uint8Array() : block.data;
  const bytes = Uint8Array.of(0x00, controlByte(block), data.length, ...data, 0);
  bytes[bytes.length - 1] = xorOf(bytes);
  return bytes;
}

function controlByte(block: T1Block): number {
  switch (block.kind) {
    case 'I':
      return (block.number << 6) | (block.more ? 0x20 : 0);
    case 'R':
      return 0x80 | (block.number << 4) | ['none', 'checksum', 'other'].indexOf(block.error);
    case 'S':
      return 0xc0 | (block.request ? 0 : 0x20) | supervisory.indexOf(block.what);
  }
}

/**
 * Reads a block. Gives `checksum` if only the checksum is wrong, and `other` if the block is unusable for another
 * reason.
 */
export function decodeT1(bytes: Uint8Array): T1Block | 'checksum' | 'other' {
  if (bytes.length < 4 || bytes.length !== 4 + (bytes[2] ?? 0)) return 'other';
  if (xorOf(bytes) !== 0) return 'checksum';
  const control = bytes[1] ?? 0;
  const data = bytes.slice(3, -1);
  if ((control & 0x80) === 0) {
    if ((control & 0x1f) !== 0) return 'other';
    return { kind: 'I', number: control & 0x40 ? 1 : 0, more: (control & 0x20) !== 0, data };
  }
  if ((control & 0x40) === 0) {
    const error = (['none', 'checksum', 'other'] as const)[control & 0x0f];
    if (error === undefined || data.length > 0 || (control & 0x20) !== 0) return 'other';
    return { kind: 'R', number: control & 0x10 ? 1 : 0, error };
  }
  const what = supervisory[control & 0x1f];
  if (what === undefined || data.length !== (what === 'ifs' || what === 'wtx' ? 1 : 0)) return 'other';
  return { kind: 'S', what, request: (control & 0x20) === 0, data };
}

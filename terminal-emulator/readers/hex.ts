/** Writes bytes as upper-case hexadecimal text, without spaces. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex').toUpperCase();
}

/**
 * Reads hexadecimal text. Spaces in it are ignored.
 *
 * @throws RangeError if the text is not hexadecimal
 */
export function fromHex(text: string): Uint8Array {
  const digits = text.replace(/\s+/g, '');
  if (!/^([0-9a-fA-F]{2})*$/.test(digits)) throw new RangeError('not hexadecimal bytes');
  return Uint8Array.from(Buffer.from(digits, 'hex'));
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

/** Gives the XOR of all bytes. */
export function xorOf(bytes: Iterable<number>): number {
  let xor = 0;
  for (const byte of bytes) xor ^= byte;
  return xor;
}

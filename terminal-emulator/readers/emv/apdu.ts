import { concatBytes } from '../hex.ts';

/** A card's answer: its data and status word. */
export interface ResponseApdu {
  readonly data: Uint8Array;
  /** SW1 and SW2 as one number, such as 0x9000. */
  readonly status: number;
}

/** Splits an answer into data and status word; undefined if it is too short for a status word. */
export function parseResponseApdu(bytes: Uint8Array): ResponseApdu | undefined {
  if (bytes.length < 2) return undefined;
  const end = bytes.length - 2;
  return { data: bytes.subarray(0, end), status: ((bytes[end] ?? 0) << 8) | (bytes[end + 1] ?? 0) };
}

/** The directory names of contact cards (PSE) and of contactless cards (PPSE). */
export const pseName = new TextEncoder().encode('1PAY.SYS.DDF01');
export const ppseName = new TextEncoder().encode('2PAY.SYS.DDF01');

export function makeSelectCommand(name: Uint8Array, options: { next?: boolean } = {}): Uint8Array {
  return Uint8Array.from([0x00, 0xa4, 0x04, options.next ? 0x02 : 0x00, name.length, ...name, 0x00]);
}

export function makeReadRecordCommand(record: number, sfi: number): Uint8Array {
  return Uint8Array.from([0x00, 0xb2, record, (sfi << 3) | 4, 0x00]);
}

/**
 * Makes the command GET PROCESSING OPTIONS with the data for the card's PDOL. The data is empty if the card has no
 * PDOL.
 */
export function makeGpoCommand(pdolData: Uint8Array): Uint8Array {
  const template = pdolData.length < 0x80 ? [0x83, pdolData.length] : [0x83, 0x81, pdolData.length];
  return concatBytes(
    Uint8Array.from([0x80, 0xa8, 0x00, 0x00, template.length + pdolData.length, ...template]),
    pdolData,
    Uint8Array.of(0x00),
  );
}

import { toHex } from '../hex.ts';

/** A card in the field, as the answer to InListPassiveTarget describes it. */
export interface NfcTarget {
  readonly number: number;
  /**
   * The card's identifier (UID or PUPI). It is valid only while the card stays in the field, because many cards choose
   * a new one each time.
   */
  readonly id: string;
  /** Whether the card speaks ISO/IEC 14443-4. If it does not, it is no payment card. */
  readonly isoDep: boolean;
  /** For type A, the answer to select (ATS) with its length byte; for type B, the ATQB. */
  readonly answer: Uint8Array;
}

/**
 * Reads the first card of a response for type A at 106 kbit/s. Returns undefined if the response has no card or is
 * invalid.
 */
export function parseTargetA(response: Uint8Array): NfcTarget | undefined {
  const [count = 0, number = 0, , , sak = 0, idLength = 0] = response;
  const idEnd = 6 + idLength;
  if (count < 1 || idLength > 10 || response.length < idEnd) return undefined;
  const id = toHex(response.subarray(6, idEnd));
  return { number, id, isoDep: (sak & 0x20) !== 0, answer: response.slice(idEnd) };
}

/**
 * Reads the first card of a response for type B. Its ATQB is: 50, PUPI (4 bytes), application data (4), protocol
 * information (3).
 */
export function parseTargetB(response: Uint8Array): NfcTarget | undefined {
  const [count = 0, number = 0, first = 0] = response;
  if (count < 1 || first !== 0x50 || response.length < 14) return undefined;
  const answer = response.slice(2, 14);
  return {
    number,
    id: toHex(answer.subarray(1, 5)),
    isoDep: ((answer[10] ?? 0) & 0x01) !== 0,
    answer,
  };
}

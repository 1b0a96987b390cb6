import { concatBytes } from '../hex.ts';

/** A card that can be held to an emulated contactless reader; an EMV card of the emulators is one. */
export interface ContactlessCard {
  /** The UID of a type A card, of 4, 7 or 10 bytes. Of a type B card, the first four bytes name it. */
  readonly uid: Uint8Array;
  /** The answer to select, with its length byte. A card without one is no payment card. */
  readonly ats?: Uint8Array;
  /** The default is type A. */
  readonly type?: 'A' | 'B';
  /** Called when the field goes off or on: then nothing is selected. */
  reset(): void;
  transmit(apdu: Uint8Array, contactless: boolean): Uint8Array;
}

const isoDep = 0x20;

/** ATQA, high byte first: it tells how long the UID is. */
export function senseResponse(card: ContactlessCard): Uint8Array {
  return Uint8Array.of(0x00, card.uid.length === 4 ? 0x04 : 0x44);
}

/** SAK: it tells whether the card speaks ISO/IEC 14443-4. Any other card is a MIFARE Classic. */
export function selectResponse(card: ContactlessCard): number {
  return card.ats ? isoDep : 0x08;
}

/** The card as InListPassiveTarget reports it after the count, for type A at 106 kbit/s. */
export function targetDataA(card: ContactlessCard, target: number): Uint8Array {
  return concatBytes(
    Uint8Array.of(target, ...senseResponse(card), selectResponse(card), card.uid.length),
    card.uid,
    card.ats ?? new Uint8Array(),
  );
}

/** The card as it is reported for type B: ATQB and the answer to ATTRIB. */
export function targetDataB(card: ContactlessCard, target: number): Uint8Array {
  const protocol = [0x00, card.ats ? 0x81 : 0x80, 0x70];
  return Uint8Array.of(target, 0x50, ...card.uid.subarray(0, 4), 0, 0, 0, 0, ...protocol, 0x01, 0x00);
}

export function isTypeB(card: ContactlessCard): boolean {
  return card.type === 'B';
}

import { concatBytes } from '../hex.ts';

/** A card that can be held to an emulated contactless reader; an EMV card of the emulators is one. */
export interface ContactlessCard {
  /** 4, 7 or 10 bytes (type A); the first four name a card of type B. */
  readonly uid: Uint8Array;
  /** Answer to select, with its length byte; absent is a card that is no payment card. */
  readonly ats?: Uint8Array;
  /** Type A where absent. */
  readonly type?: 'A' | 'B';
  /** The field is gone, or new: nothing is selected. */
  reset(): void;
  transmit(apdu: Uint8Array, contactless: boolean): Uint8Array;
}

const isoDep = 0x20;

/** ATQA, high byte first: how long the UID is. */
export function senseResponse(card: ContactlessCard): Uint8Array {
  return Uint8Array.of(0x00, card.uid.length === 4 ? 0x04 : 0x44);
}

/** SAK: whether the card speaks ISO/IEC 14443-4; else it is a MIFARE Classic. */
export function selectResponse(card: ContactlessCard): number {
  return card.ats ? isoDep : 0x08;
}

/** How a PN532 reports a card: what InListPassiveTarget answers after the count, for 106 kbit/s type A. */
export function targetDataA(card: ContactlessCard, target: number): Uint8Array {
  return concatBytes(
    Uint8Array.of(target, ...senseResponse(card), selectResponse(card), card.uid.length),
    card.uid,
    card.ats ?? new Uint8Array(),
  );
}

/** The same for type B: ATQB and the answer to ATTRIB. */
export function targetDataB(card: ContactlessCard, target: number): Uint8Array {
  const protocol = [0x00, card.ats ? 0x81 : 0x80, 0x70];
  return Uint8Array.of(target, 0x50, ...card.uid.subarray(0, 4), 0, 0, 0, 0, ...protocol, 0x01, 0x00);
}

export function isTypeB(card: ContactlessCard): boolean {
  return card.type === 'B';
}

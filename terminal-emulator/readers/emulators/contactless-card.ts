import { concatBytes } from '../hex.ts';

/** A card that can be held to an emulated contactless reader, such as an emulated EMV card. */
export interface ContactlessCard {
  /** The UID of a type A card, of 4, 7 or 10 bytes. A type B card uses the first four bytes as its identifier. */
  readonly uid: Uint8Array;
  /** The answer to select, with its length byte. If it is absent, the card is no payment card. */
  readonly ats?: Uint8Array;
  /** The card's radio type. The default is type A. */
  readonly type?: 'A' | 'B';
  /** Called when the field goes off or on. After that, no application is selected. */
  reset(): void;
  transmit(apdu: Uint8Array, contactless: boolean): Uint8Array;
}

/** Values of ATQA's low byte, for a UID of 4 bytes and for a longer one. */
const atqaOfShortUid = 0x04;
const atqaOfLongUid = 0x44;

/** Values of SAK. */
const sakOfIsoDep = 0x20;
const sakOfMifareClassic = 0x08;

/** The first byte of ATQB. */
const atqbBegin = 0x50;
/** A byte of ATQB. It says that frames have up to 256 bytes, and whether the card speaks ISO/IEC 14443-4. */
const framesOfIsoDep = 0x81;
const framesOfOtherCard = 0x80;
/** A byte of ATQB: the card answers within 39 ms (FWI 7). */
const waitingTime = 0x70;

/** Gives ATQA, high byte first. It says how long the UID is. */
export function atqaOfCard(card: ContactlessCard): Uint8Array {
  return Uint8Array.of(0x00, card.uid.length === 4 ? atqaOfShortUid : atqaOfLongUid);
}

/**
 * Gives SAK, which says whether the card speaks ISO/IEC 14443-4. A card without ISO/IEC 14443-4 is described as a
 * MIFARE Classic.
 */
export function sakOfCard(card: ContactlessCard): number {
  return card.ats ? sakOfIsoDep : sakOfMifareClassic;
}

/**
 * Gives the description of a type A card at 106 kbit/s for the answer to InListPassiveTarget. In this answer, the
 * description follows the number of cards.
 */
export function makeTargetDataA(card: ContactlessCard, target: number): Uint8Array {
  return concatBytes(
    Uint8Array.of(target, ...atqaOfCard(card), sakOfCard(card), card.uid.length),
    card.uid,
    card.ats ?? new Uint8Array(),
  );
}

/** Gives the description of a type B card for the answer to InListPassiveTarget: ATQB and the answer to ATTRIB. */
export function makeTargetDataB(card: ContactlessCard, target: number): Uint8Array {
  const identifier = card.uid.subarray(0, 4);
  const applicationData = [0, 0, 0, 0];
  const bitRates = 0x00; // only 106 kbit/s
  const protocol = [bitRates, card.ats ? framesOfIsoDep : framesOfOtherCard, waitingTime];
  const answerToAttrib = [0x01, 0x00]; // the first byte is the length
  return Uint8Array.of(target, atqbBegin, ...identifier, ...applicationData, ...protocol, ...answerToAttrib);
}

export function isTypeB(card: ContactlessCard): boolean {
  return card.type === 'B';
}

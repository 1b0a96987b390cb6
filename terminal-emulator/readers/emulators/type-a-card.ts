import { concatBytes, toHex, xorOf } from '../hex.ts';
import { atqaOfCard, type ContactlessCard, sakOfCard } from './contactless-card.ts';

/** A frame on the air. `bits` says how many bits of the last byte count; it is 8 if the byte is whole. */
interface AirFrame {
  readonly bytes: Uint8Array;
  readonly bits: number;
}

const commands = { request: 0x26, wakeUp: 0x52, halt: '5000', answerToSelect: 0xe0 } as const;
/** The SEL byte of each cascade level. */
const levels = [0x93, 0x95, 0x97];
const cascadeTag = 0x88;
/** The bit of SAK that is set if the UID continues at the next level. */
const incomplete = 0x04;

/**
 * The card's side of ISO/IEC 14443-3 type A. It answers the frames of a request, an anticollision and a selection. It
 * also gives the answer to select of ISO/IEC 14443-4. The frames include their checksums.
 */
export class TypeACard {
  readonly #card: ContactlessCard;
  readonly #uidParts: readonly Uint8Array[];
  #state: 'idle' | 'ready' | 'active' | 'halted';
  #level = 0;

  constructor(card: ContactlessCard, halted: boolean) {
    this.#card = card;
    this.#uidParts = uidParts(card.uid);
    this.#state = halted ? 'halted' : 'idle';
  }

  /**
   * Whether the card ignores requests. A card does this while a reader uses the card, and after the reader has
   * released the card.
   */
  get engaged(): boolean {
    return this.#state === 'active' || this.#state === 'halted';
  }

  /** Gives the card's answer to a frame; undefined if the card stays silent. */
  receive({ bytes, bits }: AirFrame): Uint8Array | undefined {
    const [first = 0] = bytes;
    if (bytes.length === 1 && bits === 7) return this.#requested(first);
    if (this.#state === 'ready') return this.#anticollision(bytes);
    if (this.#state === 'active') return this.#command(bytes);
    return undefined;
  }

  #requested(code: number): Uint8Array | undefined {
    const answers = this.#state === 'idle' || (this.#state === 'halted' && code === commands.wakeUp);
    if (!answers || (code !== commands.request && code !== commands.wakeUp)) return this.#fallBack();
    this.#card.reset();
    this.#state = 'ready';
    this.#level = 0;
    return atqaOfCard(this.#card).toReversed();
  }

  /**
   * Answers an anticollision frame. The byte NVB says how much of the UID the reader knows already. The card gives the
   * rest of the UID or, if the reader knows all of it, its SAK.
   */
  #anticollision(bytes: Uint8Array): Uint8Array | undefined {
    const [select, valid = 0] = bytes;
    const part = this.#uidParts[this.#level];
    const known = (valid >> 4) - 2;
    if (select !== levels[this.#level] || !part || known < 0 || (valid & 0x0f) !== 0) return this.#fallBack();
    if (toHex(bytes.subarray(2, 2 + known)) !== toHex(part.subarray(0, known))) return this.#fallBack();
    if (known < part.length) return part.slice(known);
    if (!hasValidCrcA(bytes)) return this.#fallBack();
    this.#level++;
    const last = this.#level === this.#uidParts.length;
    if (last) this.#state = 'active';
    return appendCrcA(Uint8Array.of(last ? sakOfCard(this.#card) : incomplete));
  }

  #command(bytes: Uint8Array): Uint8Array | undefined {
    if (!hasValidCrcA(bytes)) return this.#fallBack();
    if (toHex(bytes.subarray(0, -2)) === commands.halt) this.#state = 'halted';
    else if (bytes[0] === commands.answerToSelect && this.#card.ats) return appendCrcA(this.#card.ats);
    return undefined;
  }

  /** Handles an unexpected frame. If the card has been woken, it becomes idle again. */
  #fallBack(): undefined {
    if (this.#state === 'ready' || this.#state === 'active') this.#state = 'idle';
  }
}

/** The four bytes of the UID at each cascade level, with their XOR. */
function uidParts(uid: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let rest = uid;
  while (rest.length > 4) {
    parts.push(Uint8Array.of(cascadeTag, ...rest.subarray(0, 3)));
    rest = rest.subarray(3);
  }
  return [...parts, rest].map((part) => Uint8Array.of(...part, xorOf(part)));
}

/** CRC_A (ISO/IEC 14443-3 §6.2.4), low byte first. */
function checksum(bytes: Uint8Array): Uint8Array {
  let crc = 0x6363;
  for (const byte of bytes) {
    let mixed = byte ^ (crc & 0xff);
    mixed = (mixed ^ (mixed << 4)) & 0xff;
    crc = (crc >> 8) ^ (mixed << 8) ^ (mixed << 3) ^ (mixed >> 4);
  }
  return Uint8Array.of(crc & 0xff, (crc >> 8) & 0xff);
}

export function appendCrcA(bytes: Uint8Array): Uint8Array {
  return concatBytes(bytes, checksum(bytes));
}

export function hasValidCrcA(bytes: Uint8Array): boolean {
  return bytes.length > 2 && toHex(checksum(bytes.subarray(0, -2))) === toHex(bytes.subarray(-2));
}

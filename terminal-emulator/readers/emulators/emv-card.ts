import { fromHex, toHex } from '../hex.ts';
import { contactlessAts, makeAtr } from './emv-card-answers.ts';
import type { EmvApplicationDefinition, EmvCardDefinition } from './emv-card-definition.ts';
import {
  type CardRecord,
  encodeLatin1,
  encodeTlvWithHexTag,
  makeApplicationRecords,
  makeDirectoryEntry,
  makeGpoResponse,
  makeSelectResponse,
  pdolDataLength,
} from './emv-card-files.ts';

/**
 * A chip that answers APDUs at a contact or contactless reader. The same commands always get the same answers. From
 * one command to the next, the chip remembers only what a real chip remembers.
 */
export interface EmvCard {
  readonly id: string;
  readonly protocol: 'T=0' | 'T=1';
  /** The answer to reset, for contact readers. */
  readonly atr: Uint8Array;
  /** The answer to select, for contactless readers. It includes its length byte TL. */
  readonly ats: Uint8Array;
  readonly uid: Uint8Array;
  /**
   * Called after the power went off and on, or the card left the field and came back. Then no application is selected
   * any more.
   */
  reset(): void;
  /** Answers one complete command APDU with data, SW1 and SW2. `contactless` decides which directory exists. */
  transmit(apdu: Uint8Array, contactless?: boolean): Uint8Array;
  /**
   * Answers a TPDU of T=0. After the answer 61xx, GET RESPONSE fetches the data. After the answer 6Cxx, the command
   * has to be sent again with the length xx.
   */
  transmitT0(tpdu: Uint8Array): Uint8Array;
}

const status = {
  ok: [0x90, 0x00],
  selectedFileInvalidated: [0x62, 0x83],
  wrongLength: [0x67, 0x00],
  conditionsNotSatisfied: [0x69, 0x85],
  fileNotFound: [0x6a, 0x82],
  recordNotFound: [0x6a, 0x83],
  wrongParameters: [0x6a, 0x86],
  unknownInstruction: [0x6d, 0x00],
  unknownClass: [0x6e, 0x00],
} as const;

/** Makes the chip that `definition` describes. */
export function createEmvCard(definition: EmvCardDefinition): EmvCard {
  return new Chip(definition);
}

class Chip implements EmvCard {
  readonly id: string;
  readonly protocol: 'T=0' | 'T=1';
  readonly atr: Uint8Array;
  readonly ats = contactlessAts;
  readonly uid: Uint8Array;
  #definition: EmvCardDefinition;
  #application: EmvApplicationDefinition | undefined;
  #files: CardRecord[] = [];
  #transactionStarted = false;
  #presented = 0;
  #nextOfName = 0;
  /** With T=0, the card keeps its answer here until GET RESPONSE fetches it. */
  #response: Uint8Array = new Uint8Array();

  constructor(definition: EmvCardDefinition) {
    this.#definition = definition;
    this.id = definition.id;
    this.protocol = definition.protocol;
    this.atr = makeAtr(definition.protocol);
    this.uid = fromHex(definition.uid);
  }

  get #unreadable(): boolean {
    const { unreadable } = this.#definition;
    return unreadable === 'always' || (unreadable === 'once' && this.#presented <= 1);
  }

  reset(): void {
    this.#presented++;
    this.#deselect();
  }

  #deselect(): void {
    this.#application = undefined;
    this.#files = [];
    this.#transactionStarted = false;
    this.#response = new Uint8Array();
  }

  transmit(apdu: Uint8Array, contactless = false): Uint8Array {
    const command = parseApdu(apdu);
    if (!command) return answer(status.wrongLength);
    if (this.#unreadable) return answer(status.unknownInstruction);
    if (command.cla !== 0x00 && command.cla !== 0x80) return answer(status.unknownClass);
    switch ((command.cla << 8) | command.ins) {
      case 0x00a4:
        return this.#select(command, contactless);
      case 0x00b2:
        return this.#readRecord(command);
      case 0x80a8:
        return this.#getProcessingOptions(command.data, contactless);
      default:
        return answer(status.unknownInstruction);
    }
  }

  transmitT0(tpdu: Uint8Array): Uint8Array {
    if (tpdu.length < 5) return answer(status.wrongLength);
    const [, ins, , , p3 = 0] = tpdu;
    if (ins === 0xc0) return this.#getResponse(p3);
    this.#response = new Uint8Array();
    if (tpdu.length > 5) return this.#held(this.transmit(tpdu));
    // A TPDU of five bytes has no data. Either no answer is expected (case 1), or P3 is Le (case 2).
    const whole = this.transmit(tpdu);
    const available = whole.length - 2;
    if (available === 0 || p3 === available) return whole;
    return Uint8Array.of(0x6c, available & 0xff);
  }

  #held(whole: Uint8Array): Uint8Array {
    const available = whole.length - 2;
    if (available === 0) return whole;
    this.#response = whole;
    return Uint8Array.of(0x61, available & 0xff);
  }

  #getResponse(le: number): Uint8Array {
    const available = this.#response.length - 2;
    if (available <= 0) return answer(status.conditionsNotSatisfied);
    if ((le || 256) !== available) return Uint8Array.of(0x6c, available & 0xff);
    const whole = this.#response;
    this.#response = new Uint8Array();
    return whole;
  }

  #select(command: Command, contactless: boolean): Uint8Array {
    if (command.p1 !== 0x04) return answer(status.wrongParameters);
    this.#deselect();
    const name = toHex(command.data);
    if (name === toHex(encodeLatin1('1PAY.SYS.DDF01'))) return this.#selectPse(contactless);
    if (name === toHex(encodeLatin1('2PAY.SYS.DDF01'))) return this.#selectPpse(contactless);
    const matching = this.#definition.applications.filter((each) => each.aid.startsWith(name));
    // If P2 contains 02, the command asks for the next application whose AID begins with the bytes in `name` (EMV
    // Book 1 §12.3.3).
    const at = (command.p2 & 0x03) === 0x02 ? this.#nextOfName : 0;
    const application = name.length >= 10 ? matching[at] : undefined;
    if (!application) return answer(status.fileNotFound);
    this.#nextOfName = at + 1;
    if (application.refuses === 'absent') return answer(status.fileNotFound);
    this.#application = application;
    const selected = application.refuses === 'blocked' ? status.selectedFileInvalidated : status.ok;
    return answer(selected, makeSelectResponse(application));
  }

  #selectPse(contactless: boolean): Uint8Array {
    if (contactless || !this.#definition.pse) return answer(status.fileNotFound);
    const entries = this.#definition.applications.map((each) =>
      encodeTlvWithHexTag('61', makeDirectoryEntry(each)),
    );
    this.#files = entries.map((entry, index) => ({
      sfi: 1,
      record: index + 1,
      content: encodeTlvWithHexTag('70', entry),
    }));
    const fci = encodeTlvWithHexTag(
      '6F',
      encodeTlvWithHexTag('84', encodeLatin1('1PAY.SYS.DDF01')),
      encodeTlvWithHexTag('A5', encodeTlvWithHexTag('88', Uint8Array.of(1))),
    );
    return answer(status.ok, fci);
  }

  #selectPpse(contactless: boolean): Uint8Array {
    if (!contactless || !this.#definition.ppse) return answer(status.fileNotFound);
    const entries = this.#definition.applications.map((each) =>
      encodeTlvWithHexTag('61', makeDirectoryEntry(each)),
    );
    const fci = encodeTlvWithHexTag(
      '6F',
      encodeTlvWithHexTag('84', encodeLatin1('2PAY.SYS.DDF01')),
      encodeTlvWithHexTag('A5', encodeTlvWithHexTag('BF0C', ...entries)),
    );
    return answer(status.ok, fci);
  }

  #getProcessingOptions(data: Uint8Array, contactless: boolean): Uint8Array {
    const application = this.#application;
    if (!application || application.refuses || this.#transactionStarted)
      return answer(status.conditionsNotSatisfied);
    const wanted = pdolDataLength(application);
    if (data[0] !== 0x83 || data[1] !== wanted || data.length !== 2 + wanted)
      return answer(status.conditionsNotSatisfied);
    this.#transactionStarted = true;
    this.#files = makeApplicationRecords(application);
    return answer(status.ok, makeGpoResponse(application, contactless));
  }

  #readRecord(command: Command): Uint8Array {
    if ((command.p2 & 0x07) !== 0x04) return answer(status.wrongParameters);
    const sfi = command.p2 >> 3;
    if (this.#files.length === 0) return answer(status.conditionsNotSatisfied);
    if (!this.#files.some((file) => file.sfi === sfi)) return answer(status.fileNotFound);
    const file = this.#files.find((each) => each.sfi === sfi && each.record === command.p1);
    return file ? answer(status.ok, file.content) : answer(status.recordNotFound);
  }
}

interface Command {
  readonly cla: number;
  readonly ins: number;
  readonly p1: number;
  readonly p2: number;
  readonly data: Uint8Array;
}

/** Reads a short APDU of any of the four cases; undefined if Lc does not match the number of bytes. */
function parseApdu(apdu: Uint8Array): Command | undefined {
  if (apdu.length < 4 || apdu.length > 261) return undefined;
  const [cla = 0, ins = 0, p1 = 0, p2 = 0, lc = 0] = apdu;
  if (apdu.length <= 5) return { cla, ins, p1, p2, data: new Uint8Array() };
  const end = 5 + lc;
  if (lc === 0 || (apdu.length !== end && apdu.length !== end + 1)) return undefined;
  return { cla, ins, p1, p2, data: apdu.slice(5, end) };
}

function answer(sw: readonly [number, number], data: Uint8Array = new Uint8Array()): Uint8Array {
  return Uint8Array.of(...data, ...sw);
}

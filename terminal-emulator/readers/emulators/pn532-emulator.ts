import type { Clock, TimerHandle } from '../../../shared/clock.ts';
import { concatBytes, toHex } from '../hex.ts';
import {
  ackFrame,
  encodeFrame,
  errorFrame,
  type Pn532Frame,
  Pn532FrameParser,
  tfiFromChip,
  tfiFromHost,
} from '../pn532/frame.ts';
import type { ByteTransport } from '../reader-driver.ts';
import { type ContactlessCard, isTypeB, makeTargetDataA, makeTargetDataB } from './contactless-card.ts';
import { appendCrcA, hasValidCrcA, TypeACard } from './type-a-card.ts';

const status = {
  ok: 0x00,
  timeout: 0x01,
  checksum: 0x02,
  collision: 0x06,
  notInContext: 0x27,
  more: 0x40,
} as const;
/**
 * Registers of the radio interface. They say how many bits of a frame's last byte count, and whether the chip adds and
 * checks checksums.
 */
const registers = { transmitMode: 0x6302, receiveMode: 0x6303, control: 0x633c, bitFraming: 0x633d } as const;
/** The maximum number of bytes in the answer to one InDataExchange. */
const longestExchange = 262;
/** The chip handles at most two cards at once. */
const mostTargets = 2;
/** The unit, in ms, in which InAutoPoll's period is given. */
const pollUnitMs = 150;

/** A response. `later` means that the response comes later. `unknown` means that the chip does not know the command. */
type Reply = Uint8Array | 'later' | 'unknown';

/**
 * Emulates a PN532 on its high speed UART. Cards can be put into its field. The emulator can do everything that
 * libnfc's tools need. It answers on one line until this line closes.
 */
export class Pn532Emulator {
  /** The cards in the field. */
  cards: readonly ContactlessCard[] = [];
  #transport: ByteTransport;
  #clock: Clock;
  #parser = new Pn532FrameParser();
  #registers = new Map<number, number>();
  /** The selected cards, each under its target number. A command names one of these numbers. */
  #selected = new Map<number, ContactlessCard>();
  /**
   * The cards that were selected after the field was last switched on. They answer no further request until the field
   * goes off.
   */
  #activated = new Set<ContactlessCard>();
  /**
   * The host itself can compose frames for a card. For each card, this map contains the protocol state of these frames.
   */
  #raw = new Map<ContactlessCard, TypeACard>();
  /**
   * The number of times that the chip repeats the search for a card after the first try. FF means that the chip repeats
   * the search without limit. After a reset, the value is FF.
   */
  #activationRetries = 0xff;
  /** A command that waits for a card. `answer` returns undefined while no suitable card is in the field. */
  #waiting: { answer: () => Uint8Array | undefined; timer?: TimerHandle } | undefined;
  #lastResponse: Uint8Array = new Uint8Array();
  /** For an exchange in several parts: what the host has sent so far, and what the host still has to fetch. */
  #incoming: Uint8Array = new Uint8Array();
  #outgoing: Uint8Array = new Uint8Array();

  constructor(transport: ByteTransport, clock: Clock) {
    this.#transport = transport;
    this.#clock = clock;
    transport.onData((bytes) => {
      for (const frame of this.#parser.feed(bytes)) this.#handle(frame);
    });
    transport.onClosed(() => this.#stopWaiting());
  }

  /** Puts cards into the field, and takes away the cards that were there. */
  present(...cards: ContactlessCard[]): void {
    this.remove();
    for (const card of cards) this.join(card);
  }

  /** Puts one more card into the field. */
  join(card: ContactlessCard): void {
    this.cards = [...this.cards, card];
    const answer = this.#waiting?.answer();
    if (answer) this.#answerWaiting(answer);
  }

  /** Takes one card away or, without an argument, all cards. */
  remove(card?: ContactlessCard): void {
    for (const gone of card ? [card] : this.cards) {
      this.#activated.delete(gone);
      this.#raw.delete(gone);
      for (const [target, selected] of this.#selected) if (selected === gone) this.#selected.delete(target);
    }
    this.cards = card ? this.cards.filter((each) => each !== card) : [];
    this.#outgoing = new Uint8Array();
  }

  #handle(frame: Pn532Frame): void {
    if (frame.type === 'ack') return this.#stopWaiting();
    if (frame.type === 'nack') return this.#write(this.#lastResponse);
    if (frame.type !== 'data' || frame.tfi !== tfiFromHost) return;
    this.#stopWaiting();
    this.#write(ackFrame);
    const [code = 0] = frame.data;
    const reply = this.#perform(code, frame.data.subarray(1));
    if (reply === 'later') return;
    this.#respond(
      reply === 'unknown' ? errorFrame : encodeFrame(tfiFromChip, Uint8Array.of(code + 1, ...reply)),
    );
  }

  #perform(code: number, data: Uint8Array): Reply {
    switch (code) {
      case 0x00:
        return this.#diagnose(data);
      case 0x02: // GetFirmwareVersion
        return Uint8Array.of(0x32, 0x01, 0x06, 0x07);
      case 0x06:
        return this.#readRegisters(data);
      case 0x08:
        return this.#writeRegisters(data);
      case 0x12: // SetParameters
      case 0x14: // SAMConfiguration
        return new Uint8Array();
      case 0x16: // PowerDown
        return Uint8Array.of(status.ok);
      case 0x32:
        return this.#configureRadio(data);
      case 0x40:
        return this.#exchange(data);
      case 0x42:
        return this.#communicateThru(data);
      case 0x44: // InDeselect
      case 0x52: // InRelease
        return this.#release();
      case 0x4a:
        return this.#listPassiveTarget(data);
      case 0x60:
        return this.#autoPoll(data);
      default:
        return 'unknown';
    }
  }

  #diagnose([test = 0, ...rest]: Uint8Array): Reply {
    if (test === 0x00) return Uint8Array.of(test, ...rest); // tests the line: all bytes are sent back
    // Tests whether a card is there.
    if (test === 0x06) return Uint8Array.of(this.#selected.has(1) ? status.ok : status.timeout);
    if ([0x01, 0x02, 0x07].includes(test)) return Uint8Array.of(status.ok); // tests ROM, RAM or the antenna
    return 'unknown';
  }

  #readRegisters(addresses: Uint8Array): Uint8Array {
    const values = pairs(addresses, 2).map(
      ([high = 0, low = 0]) => this.#registers.get(high * 256 + low) ?? 0,
    );
    return Uint8Array.from(values);
  }

  #writeRegisters(writes: Uint8Array): Uint8Array {
    for (const [high = 0, low = 0, value = 0] of pairs(writes, 3))
      this.#registers.set(high * 256 + low, value);
    return new Uint8Array();
  }

  #configureRadio([item, ...values]: Uint8Array): Uint8Array {
    const fieldOff = item === 0x01 && ((values[0] ?? 0) & 0x01) === 0;
    if (fieldOff) this.#fieldOff();
    if (item === 0x05) this.#activationRetries = values[2] ?? 0xff;
    return new Uint8Array();
  }

  #fieldOff(): void {
    this.#selected.clear();
    this.#activated.clear();
    this.#raw.clear();
  }

  /** Releases the selected cards. A released card stays silent (halted). */
  #release(): Uint8Array {
    this.#selected.clear();
    return Uint8Array.of(status.ok);
  }

  #listPassiveTarget([most = 1, baudRateAndType = 0]: Uint8Array): Reply {
    const none = Uint8Array.of(0x00);
    const wantsB = baudRateAndType === 0x03;
    if (!wantsB && baudRateAndType !== 0x00) return none;
    const answer = () => {
      const found = this.#idle()
        .filter((card) => isTypeB(card) === wantsB)
        .slice(0, Math.min(most, mostTargets));
      return found.length > 0
        ? concatBytes(Uint8Array.of(found.length), ...this.#select(...found))
        : undefined;
    };
    const found = answer();
    if (found || this.#activationRetries !== 0xff) return found ?? none;
    this.#waiting = { answer: () => withCode(0x4a, answer()) };
    return 'later';
  }

  /** Looks for several kinds of cards, a given number of times or without limit. */
  #autoPoll([count = 0xff, period = 1, ...types]: Uint8Array): Reply {
    const answer = () => {
      const [card] = this.#idle();
      const suits = card && (isTypeB(card) ? [0x03, 0x23] : card.ats ? [0x20, 0x10, 0x00] : [0x10, 0x00]);
      const type = suits?.find((each) => types.includes(each));
      if (!card || type === undefined) return undefined;
      const [target = new Uint8Array()] = this.#select(card);
      return Uint8Array.of(0x01, type, target.length, ...target);
    };
    const found = answer();
    if (found) return found;
    this.#waiting = { answer: () => withCode(0x60, answer()) };
    if (count !== 0xff) {
      const giveUp = () => this.#answerWaiting(Uint8Array.of(0x61, 0x00));
      this.#waiting.timer = this.#clock.setTimeout(giveUp, count * period * pollUnitMs * types.length);
    }
    return 'later';
  }

  /** The cards in the field that still answer a request. */
  #idle(): ContactlessCard[] {
    return this.cards.filter((card) => !this.#activated.has(card));
  }

  /** Releases the cards that were selected before, and selects the given cards. */
  #select(...cards: ContactlessCard[]): Uint8Array[] {
    this.#selected.clear();
    this.#raw.clear();
    this.#incoming = new Uint8Array();
    this.#outgoing = new Uint8Array();
    return cards.map((card, index) => {
      card.reset();
      this.#selected.set(index + 1, card);
      this.#activated.add(card);
      return isTypeB(card) ? makeTargetDataB(card, index + 1) : makeTargetDataA(card, index + 1);
    });
  }

  #exchange([target = 0, ...data]: Uint8Array): Uint8Array {
    if (this.cards.length === 0) return Uint8Array.of(status.timeout);
    const card = this.#selected.get(target & ~status.more);
    if (!card?.ats) return Uint8Array.of(status.notInContext);
    this.#incoming = Uint8Array.of(...this.#incoming, ...data);
    if (target & status.more) return Uint8Array.of(status.ok);
    if (this.#incoming.length > 0) {
      this.#outgoing = card.transmit(this.#incoming, true);
      this.#incoming = new Uint8Array();
    }
    const part = this.#outgoing.subarray(0, longestExchange);
    this.#outgoing = this.#outgoing.subarray(part.length);
    return Uint8Array.of(this.#outgoing.length > 0 ? status.more : status.ok, ...part);
  }

  /**
   * Sends a frame that the host composed itself (InCommunicateThru). The registers say how many bits the last byte has,
   * and whether the chip adds a checksum.
   */
  #communicateThru(data: Uint8Array): Uint8Array {
    const bits = (this.#registers.get(registers.bitFraming) ?? 0) & 0x07 || 8;
    const addsChecksum = bits === 8 && this.#hasChecksum(registers.transmitMode);
    const bytes = addsChecksum ? appendCrcA(data) : data;
    const answers = this.cards.flatMap((card) => this.#onAir(card).receive({ bytes, bits }) ?? []);
    for (const card of this.cards)
      if (this.#onAir(card).engaged) this.#activated.add(card);
      else this.#activated.delete(card);
    this.#registers.set(registers.control, 0); // the value 0 says that the last byte of the answer is whole
    const [answer, ...others] = answers;
    if (!answer) return Uint8Array.of(status.timeout);
    if (others.some((other) => toHex(other) !== toHex(answer))) return Uint8Array.of(status.collision);
    if (!this.#hasChecksum(registers.receiveMode)) return Uint8Array.of(status.ok, ...answer);
    if (!hasValidCrcA(answer)) return Uint8Array.of(status.checksum);
    return Uint8Array.of(status.ok, ...answer.subarray(0, -2));
  }

  #hasChecksum(mode: number): boolean {
    return ((this.#registers.get(mode) ?? 0) & 0x80) !== 0;
  }

  #onAir(card: ContactlessCard): Pick<TypeACard, 'receive' | 'engaged'> {
    const known = this.#raw.get(card);
    const frames = known ?? new TypeACard(card, this.#activated.has(card));
    this.#raw.set(card, frames);
    return isTypeB(card) ? { receive: () => undefined, engaged: this.#activated.has(card) } : frames;
  }

  #answerWaiting(reply: Uint8Array): void {
    this.#stopWaiting();
    this.#respond(encodeFrame(tfiFromChip, reply));
  }

  #stopWaiting(): void {
    this.#clock.clearTimeout(this.#waiting?.timer);
    this.#waiting = undefined;
  }

  #respond(frame: Uint8Array): void {
    this.#lastResponse = frame;
    this.#write(frame);
  }

  #write(bytes: Uint8Array): void {
    this.#transport.write(bytes).catch(() => {}); // errors are ignored here, because onClosed reports a broken line
  }
}

function pairs(bytes: Uint8Array, size: number): Uint8Array[] {
  const rows: Uint8Array[] = [];
  for (let at = 0; at + size <= bytes.length; at += size) rows.push(bytes.subarray(at, at + size));
  return rows;
}

/** Adds the response code in front of the data of a reply. Gives undefined if there is no reply. */
function withCode(code: number, reply: Uint8Array | undefined): Uint8Array | undefined {
  return reply && Uint8Array.of(code + 1, ...reply);
}

import type { Clock, TimerHandle } from '../../../shared/clock.ts';
import { acsChecksumErrorFrame, acsConfirmationFrame, acsFraming } from '../ccid/acs-framing.ts';
import type { CcidFramingName } from '../ccid/ccid-driver.ts';
import type { CcidDecoder, CcidFraming } from '../ccid/ccid-framing.ts';
import {
  type CcidMessage,
  ccidCommandTypes,
  ccidResponseTypes,
  decodeCcid,
  encodeCcid,
} from '../ccid/ccid-message.ts';
import { gemPcFraming } from '../ccid/gempc-framing.ts';
import { xorOf } from '../hex.ts';
import type { ByteTransport } from '../reader-driver.ts';
import type { EmvCard } from './emv-card.ts';
import { T1Card } from './t1-card.ts';

interface CcidEmulatorOptions {
  readonly framing?: CcidFramingName;
  /**
   * Whether the reader sends every command back before its answer. GemPC Twin and PinPad do, GemCore readers do not.
   * The default is true.
   */
  readonly echo?: boolean;
  /** The name of the firmware, which the command Escape 02 reads. */
  readonly firmware?: string;
}

/**
 * The time limit for the rest of a frame that has begun, in ms. After this time, the emulator drops the frame and
 * asks the host to send the frame again.
 */
const gapMs = 200;

/**
 * The bError values: `notSupported` for an unknown command, `mute` for an empty slot or a card that does not answer.
 */
const errors = { notSupported: 0x00, mute: 0xfe } as const;

/**
 * Emulates a chip reader at the other end of a line: a GemPC Twin, or an ACS ACR1281S. As with the real readers, the
 * GemPC takes TPDUs and the ACS whole APDUs.
 */
export class CcidEmulator {
  readonly #transport: ByteTransport;
  readonly #clock: Clock;
  readonly #framing: CcidFraming;
  readonly #echo: boolean;
  readonly #firmware: string;
  readonly #decoder: CcidDecoder;
  #card: EmvCard | undefined;
  #powered = false;
  #t1: T1Card | undefined;
  #protocol = 0;
  #parameters: Uint8Array = new Uint8Array();
  /** Whether the host has asked for reports of cards (Escape 01 01 01). */
  #notifies = false;
  #lastFrame: Uint8Array = new Uint8Array();
  #gap: TimerHandle | undefined;

  constructor(transport: ByteTransport, clock: Clock, options: CcidEmulatorOptions = {}) {
    this.#transport = transport;
    this.#clock = clock;
    this.#framing = options.framing === 'acs' ? acsFraming : gemPcFraming;
    this.#echo = options.echo ?? true;
    this.#firmware = options.firmware ?? 'GemTwin-V2.00-GL04';
    this.#decoder = this.#framing.createDecoder();
    transport.onData((bytes) => this.#received(bytes));
    transport.onClosed(() => clock.clearTimeout(this.#gap));
  }

  /**
   * Puts a card into the slot.
   *
   * @throws RangeError if another card is in the slot
   */
  insert(card: EmvCard): void {
    if (this.#card) throw new RangeError(`the card ${this.#card.id} is in the slot`);
    this.#card = card;
    this.#notify();
  }

  /** Takes the card out of the slot. If the slot is empty, nothing happens. */
  remove(): void {
    if (!this.#card) return;
    this.#card = undefined;
    this.#powerDown();
    this.#notify();
  }

  get card(): EmvCard | undefined {
    return this.#card;
  }

  #notify(): void {
    const present = this.#card !== undefined;
    if (this.#framing.name === 'ACS') {
      const body = Uint8Array.of(0x50, present ? 0x0c : 0x08);
      this.#write(Uint8Array.of(0x02, ...body, xorOf(body), 0x03));
    } else if (this.#notifies) this.#write(Uint8Array.of(0x50, present ? 0x03 : 0x02));
  }

  #received(bytes: Uint8Array): void {
    this.#clock.clearTimeout(this.#gap);
    for (const event of this.#decoder.feed(bytes)) {
      if (event.kind === 'repeat') this.#write(this.#lastFrame);
      else if (event.kind === 'garbage') this.#complain();
      else if (event.kind === 'message') this.#message(event.bytes);
    }
    if (this.#decoder.partial) this.#gap = this.#clock.setTimeout(() => this.#cutOff(), gapMs);
  }

  #cutOff(): void {
    this.#decoder.reset();
    this.#complain();
  }

  /** Asks the host to send a damaged frame again. */
  #complain(): void {
    this.#write(this.#framing.name === 'ACS' ? acsChecksumErrorFrame : gemPcFraming.repeatRequest);
  }

  #message(bytes: Uint8Array): void {
    const command = decodeCcid(bytes);
    if (!command) return;
    if (this.#framing.name === 'ACS') this.#write(acsConfirmationFrame);
    else if (this.#echo) this.#write(this.#framing.wrap(bytes));
    this.#lastFrame = this.#framing.wrap(encodeCcid(this.#answer(command)));
    this.#write(this.#lastFrame);
  }

  #write(bytes: Uint8Array): void {
    // If the host has hung up, the bytes are lost.
    this.#transport.write(bytes).catch(() => {});
  }

  #answer(command: CcidMessage): CcidMessage {
    if (command.slot !== this.#framing.slot && command.type !== ccidCommandTypes.escape)
      return emptySlot(command);
    switch (command.type) {
      case ccidCommandTypes.escape:
        return this.#escape(command);
      case ccidCommandTypes.getSlotStatus:
        return this.#reply(command, ccidResponseTypes.slotStatus);
      case ccidCommandTypes.iccPowerOn:
        return this.#powerOn(command);
      case ccidCommandTypes.iccPowerOff:
        this.#powerDown();
        return this.#reply(command, ccidResponseTypes.slotStatus);
      case ccidCommandTypes.setParameters:
        return this.#setParameters(command);
      case ccidCommandTypes.getParameters:
      case ccidCommandTypes.resetParameters:
        return { ...this.#reply(command, ccidResponseTypes.parameters, this.#parameters) };
      case ccidCommandTypes.xfrBlock:
        return this.#transfer(command);
      default:
        return this.#fail(command, ccidResponseTypes.slotStatus, errors.notSupported);
    }
  }

  #escape(command: CcidMessage): CcidMessage {
    const [first = 0, second = 0] = command.data;
    if (first === 0x01) this.#notifies = second === 0x01;
    const asksFirmware = this.#framing.name === 'ACS' ? first === 0xe0 : first === 0x02;
    const text = Buffer.from(this.#firmware, 'latin1');
    const data = this.#framing.name === 'ACS' ? Uint8Array.of(0xe1, 0, 0, 0, text.length, ...text) : text;
    return this.#reply(command, ccidResponseTypes.escape, asksFirmware ? data : new Uint8Array());
  }

  #powerOn(command: CcidMessage): CcidMessage {
    const card = this.#card;
    if (!card) return this.#fail(command, ccidResponseTypes.dataBlock, errors.mute);
    this.#powerDown();
    card.reset();
    this.#powered = true;
    this.#protocol = card.protocol === 'T=1' ? 1 : 0;
    this.#t1 = card.protocol === 'T=1' ? new T1Card((apdu) => card.transmit(apdu), 254) : undefined;
    this.#parameters =
      this.#protocol === 1 ? Uint8Array.of(0x11, 0x10, 0, 0x4d, 0, 254, 0) : Uint8Array.of(0x11, 0, 0, 10, 0);
    return this.#reply(command, ccidResponseTypes.dataBlock, card.atr);
  }

  #powerDown(): void {
    this.#powered = false;
    this.#t1 = undefined;
  }

  #setParameters(command: CcidMessage): CcidMessage {
    if (!this.#powered) return this.#fail(command, ccidResponseTypes.parameters, errors.mute);
    this.#parameters = command.data;
    const reply = this.#reply(command, ccidResponseTypes.parameters, command.data);
    const [status, error] = reply.parameters;
    return { ...reply, parameters: [status, error, this.#protocol] };
  }

  #transfer(command: CcidMessage): CcidMessage {
    const card = this.#card;
    if (!card || !this.#powered) return this.#fail(command, ccidResponseTypes.dataBlock, errors.mute);
    return this.#reply(command, ccidResponseTypes.dataBlock, this.#toCard(card, command.data));
  }

  #toCard(card: EmvCard, unit: Uint8Array): Uint8Array {
    if (this.#framing.carries === 'APDU') return card.transmit(unit);
    // This is a PPS request. The card agrees to any speed: it sends the request back.
    if (unit[0] === 0xff && unit.length <= 6) return unit;
    return this.#t1 ? this.#t1.receive(unit) : card.transmitT0(unit);
  }

  #reply(command: CcidMessage, type: number, data: Uint8Array = new Uint8Array()): CcidMessage {
    const { slot, sequence } = command;
    return { type, slot, sequence, parameters: [this.#presence(), 0, 0], data };
  }

  #fail(command: CcidMessage, type: number, error: number): CcidMessage {
    const { slot, sequence } = command;
    return { type, slot, sequence, parameters: [0x40 | this.#presence(), error, 0], data: new Uint8Array() };
  }

  #presence(): number {
    if (!this.#card) return 2;
    return this.#powered ? 0 : 1;
  }
}

/**
 * Makes the answer for an empty slot. In this emulator one slot takes cards; the further slots of a GemCore and the
 * antenna of an ACR1281S stay empty.
 */
function emptySlot(command: CcidMessage): CcidMessage {
  const type =
    command.type === ccidCommandTypes.getSlotStatus
      ? ccidResponseTypes.slotStatus
      : ccidResponseTypes.dataBlock;
  const { slot, sequence } = command;
  const failed = command.type === ccidCommandTypes.getSlotStatus ? 0 : 0x40;
  return { type, slot, sequence, parameters: [failed | 2, errors.mute, 0], data: new Uint8Array() };
}

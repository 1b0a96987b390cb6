import { type Clock, delay } from '../../../shared/clock.ts';
import { type EmvReader, readCard } from '../emv/read-card.ts';
import {
  type ArmRequest,
  type ByteTransport,
  CardError,
  type CardErrorCode,
  type LineSettings,
  type ReaderDriver,
  type ReaderEvent,
  type ReaderInfo,
  ReaderOpenError,
  TransportClosed,
} from '../reader-driver.ts';
import { IsoDepChannel } from './iso-dep-channel.ts';
import { Pn532Error, Pn532Link } from './pn532-link.ts';
import { parseTargetA, parseTargetB, type Target } from './target.ts';

/** What a PN532's high speed UART wants. */
export const pn532LineSettings: LineSettings = {
  baudRate: 115_200,
  dataBits: 8,
  stopBits: 1,
  parity: 'none',
};

const commands = {
  diagnose: 0x00,
  getFirmwareVersion: 0x02,
  samConfiguration: 0x14,
  rfConfiguration: 0x32,
  inListPassiveTarget: 0x4a,
  inRelease: 0x52,
} as const;

/** RFConfiguration item 1: the field. */
const fieldOff = [0x01, 0x00];

/** Between looks for a card, and between looks whether it is still there. */
const pollMs = 100;
const presenceMs = 250;
/** Before a card whose reading failed is read again; doubles from failure to failure up to the longest. */
const readAgainMs = { first: 250, longest: 2_000 };

/** A PN532 on its high speed UART: contactless cards of type A and B. */
export function createPn532Driver(transport: ByteTransport, reader: EmvReader): ReaderDriver {
  return new Pn532Driver(transport, reader);
}

class Pn532Driver implements ReaderDriver {
  #transport: ByteTransport;
  #reader: EmvReader;
  #clock: Clock;
  #link: Pn532Link;

  constructor(transport: ByteTransport, reader: EmvReader) {
    this.#transport = transport;
    this.#reader = reader;
    this.#clock = reader.clock;
    this.#link = new Pn532Link(transport, reader.clock);
  }

  async open(signal: AbortSignal): Promise<ReaderInfo> {
    try {
      // Normal mode, no timeout, no IRQ: takes the chip out of the low battery mode it wakes up in.
      await this.#link.command(commands.samConfiguration, [0x01], { signal, wake: true });
      const [chip, version, revision] = await this.#link.command(commands.getFirmwareVersion, [], { signal });
      if (chip !== 0x32) throw new Pn532Error('REFUSED', 'another chip');
      // A card that was held there when the line was lost is still selected, and would not answer a look.
      await this.#link.command(commands.rfConfiguration, fieldOff, { signal });
      // One try per look: "none" comes at once, and looking again is ours (MxRtyPassiveActivation).
      await this.#link.command(commands.rfConfiguration, [0x05, 0xff, 0x01, 0x01], { signal });
      return {
        driver: 'pn532',
        description: `PN532 firmware ${version}.${revision}`,
        entries: ['Contactless'],
      };
    } catch (error) {
      throw this.#openError(error);
    }
  }

  async arm(request: ArmRequest, emit: (event: ReaderEvent) => void): Promise<void> {
    if (!request.entries.includes('Contactless')) return;
    try {
      while (!request.signal.aborted) await this.#watch(request, emit);
    } catch (error) {
      if (request.signal.aborted) return;
      // A chip that no longer answers is as good as unplugged: the line is given up, to be opened afresh.
      emit({ type: 'reader.lost', why: error instanceof Error ? error.message : String(error) });
      await this.#transport.close();
    } finally {
      await this.#fieldOff();
    }
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** One look for a card, and all that follows if there is one. */
  async #watch(request: ArmRequest, emit: (event: ReaderEvent) => void): Promise<void> {
    const { signal } = request;
    const target = await this.#look(signal);
    if (!target) return delay(this.#clock, pollMs, signal);
    emit({ type: 'card.present', entry: 'Contactless' });
    const last = await this.#readWhileHeld(target, request, emit);
    if (signal.aborted) return;
    if (last) await this.#untilRemoved(last, signal);
    emit({ type: 'card.removed', entry: 'Contactless' });
  }

  /**
   * A card whose reading failed is powered anew and read again for as long as it is held there, as a terminal
   * does: nobody takes it away to present it again. Each failure is told once. Resolves to the card as it was
   * found last; undefined where it is gone.
   */
  async #readWhileHeld(
    first: Target,
    request: ArmRequest,
    emit: (event: ReaderEvent) => void,
  ): Promise<Target | undefined> {
    const { signal } = request;
    const told = new Set<CardErrorCode>();
    let pauseMs = readAgainMs.first;
    for (let target = first; ; ) {
      const event = await this.#read(target, request);
      if (event.type !== 'card.error') {
        emit(event);
        return target;
      }
      if (!told.has(event.code)) emit(event);
      told.add(event.code);
      if (signal.aborted || event.code === 'UNSUPPORTED_APP') return target;
      await this.#fieldOff({ signal });
      await delay(this.#clock, pauseMs, signal);
      pauseMs = Math.min(pauseMs * 2, readAgainMs.longest);
      const again = await this.#look(signal);
      if (!again || !isSameCard(target, again)) return undefined;
      target = again;
    }
  }

  async #look(signal: AbortSignal): Promise<Target | undefined> {
    const typeA = await this.#link.command(commands.inListPassiveTarget, [0x01, 0x00], { signal });
    const target = parseTargetA(typeA);
    if (target) return target;
    // Type B wants an application family: 00 is all.
    const typeB = await this.#link.command(commands.inListPassiveTarget, [0x01, 0x03, 0x00], { signal });
    return parseTargetB(typeB);
  }

  async #read(target: Target, request: ArmRequest): Promise<ReaderEvent> {
    try {
      if (!target.isoDep) throw new CardError('UNSUPPORTED_APP', 'no payment card');
      const channel = new IsoDepChannel(this.#link, target.number, target.answer);
      return { type: 'card.read', read: await readCard(channel, request, this.#reader) };
    } catch (error) {
      if (!(error instanceof CardError)) throw error;
      return { type: 'card.error', entry: 'Contactless', code: error.code };
    }
  }

  /** Asks the card for a sign of life; where it gives none, a fresh look decides. */
  async #untilRemoved(target: Target, signal: AbortSignal): Promise<void> {
    for (;;) {
      await delay(this.#clock, presenceMs, signal);
      if (target.isoDep && (await this.#answersPresenceCheck(signal))) continue;
      await this.#fieldOff({ signal });
      const again = await this.#look(signal);
      if (!again || !isSameCard(target, again)) return;
    }
  }

  async #answersPresenceCheck(signal: AbortSignal): Promise<boolean> {
    try {
      const [status] = await this.#link.command(commands.diagnose, [0x06], { signal });
      return status === 0x00;
    } catch (error) {
      if (error instanceof Pn532Error && error.code === 'REFUSED') return false;
      throw error;
    }
  }

  /** Lets go of the card and takes its power, so that it starts afresh. Without a signal, as well as it goes. */
  async #fieldOff(options: { signal?: AbortSignal } = {}): Promise<void> {
    const unlessOptional = (error: unknown) => {
      if (options.signal) throw error;
    };
    await this.#link.command(commands.inRelease, [0x00], options).catch(unlessOptional);
    await this.#link.command(commands.rfConfiguration, fieldOff, options).catch(unlessOptional);
  }

  #openError(error: unknown): unknown {
    const { name } = this.#transport;
    if (error instanceof Pn532Error && !this.#link.heard)
      return new ReaderOpenError(
        'NO_ANSWER',
        `${name}: nothing answers. Is the PN532 powered and switched to HSU (both switches off)?`,
      );
    if (error instanceof Pn532Error)
      return new ReaderOpenError(
        'WRONG_DEVICE',
        `${name}: what answers is no PN532. Name another port or driver.`,
      );
    if (error instanceof TransportClosed)
      return new ReaderOpenError('FAILED', `${name}: the line closed while opening (${error.message}).`);
    return error;
  }
}

/** Phones and some cards draw a new identifier, beginning with 08, whenever the field comes back. */
function isSameCard(before: Target, after: Target): boolean {
  const isRandom = ({ id }: Target) => id.length === 8 && id.startsWith('08');
  return before.id === after.id || (isRandom(before) && isRandom(after));
}

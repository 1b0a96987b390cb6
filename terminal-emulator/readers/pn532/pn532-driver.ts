import { type Clock, delay } from '../../../shared/clock.ts';
import { type EmvReadContext, readCard } from '../emv/read-card.ts';
import { errorText } from '../error-text.ts';
import { firstReadAgainDelayMs, nextReadAgainDelayMs } from '../read-again.ts';
import {
  type ArmRequest,
  type ByteTransport,
  CardError,
  type CardErrorCode,
  type CardRead,
  type ReaderDriver,
  type ReaderEvent,
  type ReaderInfo,
  ReaderOpenError,
  TransportClosedError,
} from '../reader-driver.ts';
import { IsoDepChannel } from './iso-dep-channel.ts';
import { Pn532Error, Pn532Link } from './pn532-link.ts';
import { type NfcTarget, parseTargetA, parseTargetB } from './target.ts';

const commands = {
  diagnose: 0x00,
  getFirmwareVersion: 0x02,
  samConfiguration: 0x14,
  rfConfiguration: 0x32,
  inListPassiveTarget: 0x4a,
  inDeselect: 0x44,
  inRelease: 0x52,
} as const;

/** RFConfiguration item 1: switches the field off. */
const fieldOff = [0x01, 0x00];

/** The maximum number of cards in the field. Without a limit, a card that always answers would be read for ever. */
const mostCards = 8;

/** The pauses, in ms: between two searches for a card, and between two checks whether the card is still there. */
const pollMs = 100;
const presenceMs = 250;

/** The cards in the field, and whether they could be read. */
interface FieldRead {
  readonly cards: readonly NfcTarget[];
  /** The card that was read. If no card was read, it is the first card in the field. */
  readonly card: NfcTarget;
  readonly outcome: CardRead | CardError;
  readonly noPaymentCards: readonly NfcTarget[];
}

/** Drives a PN532 on its high speed UART, for contactless cards of type A and B. */
export class Pn532Driver implements ReaderDriver {
  #transport: ByteTransport;
  #reader: EmvReadContext;
  #clock: Clock;
  #link: Pn532Link;

  constructor(transport: ByteTransport, reader: EmvReadContext) {
    this.#transport = transport;
    this.#reader = reader;
    this.#clock = reader.clock;
    this.#link = new Pn532Link(transport, reader.clock);
  }

  async open(signal: AbortSignal): Promise<ReaderInfo> {
    try {
      // Sets normal mode, no timeout, no IRQ. The chip wakes up in the low battery mode, which this command ends.
      await this.#link.command(commands.samConfiguration, [0x01], { signal, wake: true });
      const [chip, version, revision] = await this.#link.command(commands.getFirmwareVersion, [], { signal });
      if (chip !== 0x32) throw new Pn532Error('REFUSED', 'another chip');
      // If the line was lost while a card was held to the reader, this card is still selected and would not answer a
      // search. So the field is switched off.
      await this.#link.command(commands.rfConfiguration, fieldOff, { signal });
      // If there is no card, the chip tries only once and answers at once (MxRtyPassiveActivation). More tries are
      // not needed, because this driver repeats the search by itself.
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
      // A chip that does not answer any more counts as unplugged: the line is closed, and later opened again.
      emit({ type: 'reader.lost', why: errorText(error) });
      await this.#transport.close();
    } finally {
      await this.#fieldOff();
    }
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** Looks for cards once. If there is a card, reads it and waits until it is gone. */
  async #watch(request: ArmRequest, emit: (event: ReaderEvent) => void): Promise<void> {
    const { signal } = request;
    const present = () => emit({ type: 'card.present', entry: 'Contactless' });
    const first = await this.#readField(request, new Set(), present);
    if (!first) return delay(this.#clock, pollMs, signal);
    const last = await this.#readWhileHeld(first, request, emit);
    if (signal.aborted) return;
    if (last) await this.#untilRemoved(last, signal);
    // Another card may have come in the meantime and may have been released. A released card stays silent until the
    // field has been off. So the field is switched off.
    await this.#fieldOff({ signal });
    emit({ type: 'card.removed', entry: 'Contactless' });
  }

  /**
   * Repeats the reading of cards that could not be read, for as long as they are held to the reader. Before each try,
   * the power of the cards is switched off and on, so the shopper need not present the cards again. Each kind of
   * failure is reported once. Resolves to the card that was read, or to undefined if none of these cards is there any
   * more.
   */
  async #readWhileHeld(
    first: FieldRead,
    request: ArmRequest,
    emit: (event: ReaderEvent) => void,
  ): Promise<NfcTarget | undefined> {
    const { signal } = request;
    const texts = new Set<CardErrorCode>();
    const noPaymentCards = new Set<string>();
    let pauseMs = firstReadAgainDelayMs;
    for (let found = first; ; ) {
      if (found.outcome instanceof CardError) {
        const { code } = found.outcome;
        if (!texts.has(code)) emit({ type: 'card.error', entry: 'Contactless', code });
        texts.add(code);
        // The shopper may still hold a payment card beside a card that is no payment card, so the next try comes soon.
        if (code === 'UNSUPPORTED_APP') pauseMs = firstReadAgainDelayMs;
      } else {
        emit({ type: 'card.read', read: found.outcome });
        return found.card;
      }
      if (signal.aborted) return undefined;
      for (const card of found.noPaymentCards) if (!hasRandomId(card)) noPaymentCards.add(card.id);
      await this.#fieldOff({ signal });
      await delay(this.#clock, pauseMs, signal);
      pauseMs = nextReadAgainDelayMs(pauseMs);
      const again = await this.#readField(request, noPaymentCards);
      if (!again || !isAnyOf(found.cards, again.cards)) return undefined;
      found = again;
    }
  }

  /**
   * Reads every card in the field, one after the other, to find out whether exactly one of them could pay. Cards that
   * are no payment cards (a badge, a ticket) are skipped. `noPaymentCards` holds the ids of the cards of this kind that
   * were found by earlier reads.
   */
  async #readField(
    request: ArmRequest,
    noPaymentCards: ReadonlySet<string>,
    found: () => void = () => {},
  ): Promise<FieldRead | undefined> {
    const cards: NfcTarget[] = [];
    const passedOver: NfcTarget[] = [];
    const reads: { card: NfcTarget; read: CardRead }[] = [];
    let failure: CardError | undefined;
    for await (const card of this.#targets(request.signal)) {
      if (cards.push(card) === 1) found();
      const outcome = noPaymentCards.has(card.id)
        ? new CardError('UNSUPPORTED_APP')
        : await this.#read(card, request);
      if (!(outcome instanceof CardError)) reads.push({ card, read: outcome });
      else if (outcome.code === 'UNSUPPORTED_APP') passedOver.push(card);
      else failure ??= outcome;
    }
    const [first, second] = reads;
    const [card = first?.card] = cards;
    if (!card) return undefined;
    if (second) failure = new CardError('COLLISION', 'more than one payment card is in the field');
    const outcome = failure ?? first?.read ?? new CardError('UNSUPPORTED_APP', 'no payment card');
    return { cards, card: first?.card ?? card, outcome, noPaymentCards: passedOver };
  }

  /**
   * Gives the cards in the field one after the other; each card stays selected while the caller uses it. A card that
   * was released stays silent until the field goes off, so the next search finds another card (libnfc does the same).
   * If the caller stops early, the last card stays selected.
   */
  async *#targets(signal: AbortSignal): AsyncGenerator<NfcTarget, void> {
    const seen = new Set<string>();
    // A search for type B names an application family; 00 means all families.
    for (const [kind, parse] of [
      [[0x00], parseTargetA],
      [[0x03, 0x00], parseTargetB],
    ] as const) {
      while (seen.size < mostCards) {
        const listed = await this.#link.command(commands.inListPassiveTarget, [0x01, ...kind], { signal });
        const target = parse(listed);
        if (!target || seen.has(target.id)) break;
        seen.add(target.id);
        yield target;
        await this.#link.command(commands.inDeselect, [0x00], { signal });
      }
    }
  }

  async #read(target: NfcTarget, request: ArmRequest): Promise<CardRead | CardError> {
    try {
      if (!target.isoDep) return new CardError('UNSUPPORTED_APP', 'no payment card');
      const channel = new IsoDepChannel(this.#link, target.number, target.answer);
      return await readCard(channel, request, this.#reader);
    } catch (error) {
      if (error instanceof CardError) return error;
      throw error;
    }
  }

  /**
   * Resolves when the card is gone. If the card does not react to a check, the driver searches for the card again,
   * and the card counts as gone if this search does not find it.
   */
  async #untilRemoved(target: NfcTarget, signal: AbortSignal): Promise<void> {
    for (;;) {
      await delay(this.#clock, presenceMs, signal);
      if (target.isoDep && (await this.#answersPresenceCheck(signal))) continue;
      await this.#fieldOff({ signal });
      if (!(await this.#isThere(target, signal))) return;
    }
  }

  /** Searches for the card again. If it is still there, it stays selected. */
  async #isThere(target: NfcTarget, signal: AbortSignal): Promise<boolean> {
    for await (const other of this.#targets(signal)) if (isSameCard(target, other)) return true;
    return false;
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

  /**
   * Releases the card and switches its power off, so that the card starts again. Errors are ignored if the caller
   * passes no `signal`.
   */
  async #fieldOff(options: { signal?: AbortSignal } = {}): Promise<void> {
    const unlessOptional = (error: unknown) => {
      if (options.signal) throw error;
    };
    await this.#link.command(commands.inRelease, [0x00], options).catch(unlessOptional);
    await this.#link.command(commands.rfConfiguration, fieldOff, options).catch(unlessOptional);
  }

  #openError(error: unknown): unknown {
    const { name } = this.#transport;
    if (error instanceof Pn532Error && !this.#link.received)
      return new ReaderOpenError(
        'NO_ANSWER',
        `${name}: nothing answers. Is the PN532 powered and switched to HSU (both switches off)?`,
      );
    if (error instanceof Pn532Error)
      return new ReaderOpenError(
        'WRONG_DEVICE',
        `${name}: the device that answers is not a PN532. Name another port or driver.`,
      );
    if (error instanceof TransportClosedError)
      return new ReaderOpenError(
        'FAILED',
        `${name}: the line closed while it was being opened (${error.message}).`,
      );
    return error;
  }
}

/**
 * Whether the card has a random identifier, which begins with 08. Phones and some cards draw a new one whenever the
 * field comes back.
 */
function hasRandomId({ id }: NfcTarget): boolean {
  return id.length === 8 && id.startsWith('08');
}

function isSameCard(before: NfcTarget, after: NfcTarget): boolean {
  return before.id === after.id || (hasRandomId(before) && hasRandomId(after));
}

function isAnyOf(before: readonly NfcTarget[], after: readonly NfcTarget[]): boolean {
  return after.some((each) => before.some((other) => isSameCard(other, each)));
}

import { delay } from '../../../shared/clock.ts';
import { type EmvReadContext, readCard } from '../emv/read-card.ts';
import { errorText } from '../error-text.ts';
import { firstReadAgainDelayMs, nextReadAgainDelayMs } from '../read-again.ts';
import {
  type ArmRequest,
  CardError,
  type CardErrorCode,
  type CardRead,
  type ReaderDriver,
  type ReaderEntryMode,
  type ReaderEvent,
  type ReaderInfo,
  readerEntryModes,
  TransportClosedError,
} from '../reader-driver.ts';
import { isContactlessAtr } from './contactless-atr.ts';
import { awaitUnlessAborted, PcscChannel } from './pcsc-channel.ts';
import { entryModesOfSlot } from './pcsc-devices.ts';
import { makePcscCardError } from './pcsc-errors.ts';
import type { PcscReader, SlotCardAtr } from './pcsc-reader.ts';

/** A card in a slot. Its signal `removed` aborts when the card is taken away. */
interface PresentCard {
  readonly slot: string;
  readonly atr: Uint8Array;
  readonly entry: ReaderEntryMode;
  readonly removed: AbortSignal;
  readonly remove: () => void;
}

/** Reads contact and contactless chips in all slots of a reader that the machine's PC/SC service knows. */
export class PcscDriver implements ReaderDriver {
  readonly #reader: PcscReader;
  readonly #emv: EmvReadContext;
  readonly #present = new Map<string, PresentCard>();
  /** Resolves when a card comes or goes, or when the reader is lost. After that, a new promise replaces this one. */
  #changed = Promise.withResolvers<void>();
  readonly #lost = new AbortController();
  /** Resolves when the power of the last card is off. Only then is the next card connected. */
  #released: Promise<void> = Promise.resolve();

  constructor(reader: PcscReader, emv: EmvReadContext) {
    this.#reader = reader;
    this.#emv = emv;
    reader.onCard((slot, content) => this.#cardChanged(slot, content));
    reader.onClosed((why) => {
      this.#lost.abort(new TransportClosedError(why));
      this.#change();
    });
  }

  async open(): Promise<ReaderInfo> {
    const offered = this.#reader.slots.flatMap((slot) => this.#entriesOf(slot));
    const entries = readerEntryModes.filter((entry) => offered.includes(entry));
    return { driver: 'pcsc', description: 'PC/SC reader', entries };
  }

  async arm(request: ArmRequest, emit: (event: ReaderEvent) => void): Promise<void> {
    const { signal } = request;
    const wanted = () => [...this.#present.values()].find(({ entry }) => request.entries.includes(entry));
    try {
      while (!signal.aborted) await this.#serveCard(await this.#waitFor(wanted, signal), request, emit);
    } catch (error) {
      if (signal.aborted) return;
      const why = errorText(error);
      emit({ type: 'reader.lost', why });
      this.#reader.end(why);
    }
  }

  async close(): Promise<void> {
    await this.#reader.close();
  }

  async #serveCard(
    card: PresentCard,
    request: ArmRequest,
    emit: (event: ReaderEvent) => void,
  ): Promise<void> {
    emit({ type: 'card.present', entry: card.entry });
    await this.#readWhileHeld(card, request, emit);
    await this.#waitFor(() => card.removed.aborted || undefined, request.signal);
    emit({ type: 'card.removed', entry: card.entry });
  }

  /**
   * Reads a card. If a contactless card cannot be read, it is read again for as long as it is held to the reader, as
   * with pinpad's other contactless drivers. Each kind of failure is reported once. If a chip in the slot cannot be
   * read, it is read again only after the card was taken out and put in again.
   */
  async #readWhileHeld(
    card: PresentCard,
    request: ArmRequest,
    emit: (event: ReaderEvent) => void,
  ): Promise<void> {
    const { entry, removed } = card;
    const reported = new Set<CardErrorCode>();
    for (let pauseMs = firstReadAgainDelayMs; ; pauseMs = nextReadAgainDelayMs(pauseMs)) {
      const outcome = await this.#read(card, request);
      if (!(outcome instanceof CardError)) return emit({ type: 'card.read', read: outcome });
      const { code, message } = outcome;
      // The terminal had asked the person to take the card away, so the removal is no new failure.
      if (code === 'REMOVED' && reported.size > 0) return;
      if (!reported.has(code)) emit({ type: 'card.error', entry, code, why: message });
      reported.add(code);
      if (entry !== 'Contactless' || removed.aborted) return;
      const until = AbortSignal.any([request.signal, removed, this.#lost.signal]);
      await delay(this.#emv.clock, pauseMs, until).catch(() => {});
      if (removed.aborted) return;
      for (const signal of [request.signal, this.#lost.signal]) signal.throwIfAborted();
    }
  }

  /**
   * Reads a card once. The promise waits until the card's power is off, unless the card was taken away or the reader
   * was disarmed.
   */
  async #read(card: PresentCard, request: ArmRequest): Promise<CardRead | CardError> {
    const { slot, atr, removed } = card;
    if (atr.length === 0) return new CardError('BAD_READ', 'the chip gives no answer to reset');
    const before = this.#released;
    const released = Promise.withResolvers<void>();
    this.#released = released.promise;
    const connecting = before.then(() => this.#reader.connect(slot));
    let channel: PcscChannel | undefined;
    const signal = AbortSignal.any([request.signal, removed]);
    try {
      const protocol = await awaitUnlessAborted(connecting, signal);
      channel = new PcscChannel(this.#reader, { ...card, protocol });
      return await readCard(channel, { ...request, signal }, this.#emv);
    } catch (error) {
      request.signal.throwIfAborted();
      const why = removed.aborted ? takenOut() : makePcscCardError(error, slot);
      if (why instanceof CardError) return why;
      throw why;
    } finally {
      const answered = channel?.answered ?? connecting;
      void answered.then(() => this.#reader.disconnect(slot)).then(released.resolve, released.resolve);
      if (!signal.aborted) await released.promise;
    }
  }

  #cardChanged(slot: string, content: SlotCardAtr): void {
    this.#present.get(slot)?.remove();
    this.#present.delete(slot);
    if (content) {
      const taken = new AbortController();
      const remove = () => taken.abort(takenOut());
      this.#present.set(slot, {
        slot,
        atr: content,
        entry: this.#entryOf(slot, content),
        removed: taken.signal,
        remove,
      });
    }
    this.#change();
  }

  /**
   * Gives the way in which a card was presented. If the slot takes cards in only one way, this way is given. Otherwise
   * the card's answer to reset decides.
   */
  #entryOf(slot: string, atr: Uint8Array): ReaderEntryMode {
    const [first, ...others] = this.#entriesOf(slot);
    if (first && others.length === 0) return first;
    return isContactlessAtr(atr) ? 'Contactless' : 'ICC';
  }

  #entriesOf(slot: string): readonly ReaderEntryMode[] {
    return entryModesOfSlot(slot, this.#reader.slots);
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  /**
   * Calls `look` now, and again each time a card comes or goes. Resolves to the first result that is not undefined.
   *
   * @throws TransportClosedError; the signal's reason
   */
  async #waitFor<T>(look: () => T | undefined, signal: AbortSignal): Promise<T> {
    for (;;) {
      signal.throwIfAborted();
      this.#lost.signal.throwIfAborted();
      const found = look();
      if (found !== undefined) return found;
      await awaitUnlessAborted(this.#changed.promise, signal);
    }
  }
}

function takenOut(): CardError {
  return new CardError('REMOVED', 'the card was taken out');
}

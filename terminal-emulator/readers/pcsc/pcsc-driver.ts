import { type EmvReader, readCard } from '../emv/read-card.ts';
import {
  type ArmRequest,
  CardError,
  type ReaderDriver,
  type ReaderEntry,
  type ReaderEvent,
  type ReaderInfo,
  TransportClosed,
} from '../reader-driver.ts';
import { isContactlessAtr } from './contactless-card.ts';
import { PcscChannel, pcscFailure } from './pcsc-channel.ts';
import type { PcscContent, PcscReader } from './pcsc-reader.ts';

/** A card in the reader, until `removed` aborts. */
interface PresentCard {
  readonly atr: Uint8Array;
  readonly entry: ReaderEntry;
  readonly removed: AbortSignal;
}

/** Reads chips, contact and contactless, at any reader that the machine's PC/SC service knows. */
export class PcscDriver implements ReaderDriver {
  readonly #reader: PcscReader;
  readonly #emv: EmvReader;
  readonly #entries: readonly ReaderEntry[];
  #present: PresentCard | undefined;
  #takenOut = new AbortController();
  /** Resolved and replaced whenever a card comes or goes, or the reader is lost. */
  #changed = Promise.withResolvers<void>();
  #lost: string | undefined;

  constructor(reader: PcscReader, emv: EmvReader) {
    this.#reader = reader;
    this.#emv = emv;
    this.#entries = entriesOf(reader.name);
    reader.onCard((content) => this.#cardChanged(content));
    reader.onClosed((why) => {
      this.#lost = why;
      this.#takenOut.abort(new TransportClosed(why));
      this.#change();
    });
  }

  async open(): Promise<ReaderInfo> {
    return { driver: 'pcsc', description: 'PC/SC reader', entries: this.#entries };
  }

  async arm(request: ArmRequest, emit: (event: ReaderEvent) => void): Promise<void> {
    const { signal } = request;
    if (!request.entries.some((entry) => this.#entries.includes(entry)) || signal.aborted) return;
    try {
      for (;;) {
        const card = await this.#until(() => this.#present, signal);
        if (request.entries.includes(card.entry)) await this.#serve(card, request, emit);
        await this.#until(() => (this.#present === card ? undefined : true), signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      emit({ type: 'reader.lost', why: error instanceof Error ? error.message : String(error) });
    }
  }

  async close(): Promise<void> {
    await this.#reader.close();
  }

  async #serve(card: PresentCard, request: ArmRequest, emit: (event: ReaderEvent) => void): Promise<void> {
    emit({ type: 'card.present', entry: card.entry });
    try {
      emit({ type: 'card.read', read: await this.#read(card, request) });
    } catch (error) {
      if (request.signal.aborted || !(error instanceof CardError)) throw error;
      emit({ type: 'card.error', entry: card.entry, code: error.code });
    }
    await this.#until(() => (this.#present === card ? undefined : true), request.signal);
    emit({ type: 'card.removed', entry: card.entry });
  }

  async #read({ atr, entry, removed }: PresentCard, request: ArmRequest) {
    if (atr.length === 0) throw new CardError('BAD_READ', 'the chip gives no answer to reset');
    const connected = await this.#reader.connect().catch((error) => {
      throw pcscFailure(error);
    });
    const card = { atr, contactless: entry === 'Contactless' };
    const channel = new PcscChannel(connected, card, {
      smartcard: this.#reader.smartcard,
      clock: this.#emv.clock,
    });
    try {
      return await readCard(
        channel,
        { ...request, signal: AbortSignal.any([request.signal, removed]) },
        this.#emv,
      );
    } finally {
      channel.powerOff();
    }
  }

  #cardChanged(content: PcscContent): void {
    this.#takenOut.abort(new CardError('REMOVED', 'the card was taken out'));
    this.#takenOut = new AbortController();
    this.#present = content && {
      atr: content,
      entry: this.#entryOf(content),
      removed: this.#takenOut.signal,
    };
    this.#change();
  }

  /** A reader of one kind is believed; one that may be either goes by its card. */
  #entryOf(atr: Uint8Array): ReaderEntry {
    const [first, ...others] = this.#entries;
    if (first && others.length === 0) return first;
    return isContactlessAtr(atr) ? 'Contactless' : 'ICC';
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  /** Resolves to what `look` finds, now or after a change. @throws TransportClosed; the signal's reason */
  async #until<T>(look: () => T | undefined, signal: AbortSignal): Promise<T> {
    const aborted = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => aborted.resolve(), { once: true });
    for (;;) {
      signal.throwIfAborted();
      if (this.#lost !== undefined) throw new TransportClosed(this.#lost);
      const found = look();
      if (found !== undefined) return found;
      await Promise.race([this.#changed.promise, aborted.promise]);
    }
  }
}

/** Names tell a slot's kind: `ACS ACR1252 Dual Reader PICC`, `Identiv uTrust 4701 F Contact Reader`. */
function entriesOf(name: string): readonly ReaderEntry[] {
  if (/contactless|PICC|NFC|RFID|ACR122|\bCL\b/i.test(name)) return ['Contactless'];
  if (/\bcontact\b|\bICC\b|\bSAM\b/i.test(name)) return ['ICC'];
  return ['ICC', 'Contactless'];
}

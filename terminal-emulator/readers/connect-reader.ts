import type { ConnectedReader, Screen } from '../../shared/emulator/screen.ts';
import type { MaskedCard } from '../cards/presented-card.ts';
import type { AttachedReader } from './attached-reader.ts';
import { makeCardFromRead, makeUnreadableCard } from './reader-card.ts';
import {
  type CardRead,
  type ReaderEntryMode,
  type ReaderEvent,
  readerEntryModes,
  type Unsubscribe,
} from './reader-driver.ts';
import type { ReaderRules } from './reader-rules.ts';

/** The functions of a terminal that a connected reader needs. */
export interface ReaderTerminal {
  screen(): Pick<Screen, 'state' | 'entries'>;
  /** The amount to pay now, in whole minor units; undefined between payments. */
  sale(): { readonly amount: number; readonly currency: string } | undefined;
  onChange(listener: () => void): Unsubscribe;
  /** Presents a card to the terminal. If that is not possible, returns the reason. */
  present(how: 'insert' | 'tap' | 'swipe', card: MaskedCard): unknown;
  /** Takes the card out of the slot. */
  remove(): unknown;
  /**
   * Shows the reader's state beside the screen. With `undefined`, shows nothing, because the reader is disconnected.
   */
  showReader(name: string, reader: ConnectedReader | undefined): void;
}

const presentingWays = { ICC: 'insert', Contactless: 'tap', MagStripe: 'swipe' } as const;

/**
 * Connects a real reader to a terminal. A card in the reader then has the same effect as a card in the terminal's own
 * slot. The reader watches for cards in the ways (chip, tap, stripe) that the terminal asks for. The reader's slot
 * takes a card at any time, as a terminal's own slot does. The terminal's keys and tray still work. Returns a
 * function that disconnects the reader from the terminal; the reader stays open.
 *
 * `ways` are the entry modes of all readers of the terminal; the default is the entry modes of this reader. If a chip
 * card is swiped, the terminal asks for the chip only if one of the readers takes chips.
 */
export function connectReader(
  reader: AttachedReader,
  terminal: ReaderTerminal,
  rules: ReaderRules,
  ways: () => readonly ReaderEntryMode[] = () => reader.status.entries,
): Unsubscribe {
  const connection = new ReaderConnection({ reader, terminal, rules, ways });
  return () => connection.release();
}

interface ConnectionParts {
  readonly reader: AttachedReader;
  readonly terminal: ReaderTerminal;
  readonly rules: ReaderRules;
  readonly ways: () => readonly ReaderEntryMode[];
}

class ReaderConnection {
  readonly #parts: ConnectionParts;
  readonly #unsubscribe: Unsubscribe[];
  /** The request for which the reader is armed, as text; empty if the reader is not armed. */
  #armedFor = '';
  /**
   * Whether a card is in the reader's slot. If so, the reader is not armed again, because it would then lose track of
   * the card.
   */
  #readerHasCard = false;
  /** Whether the card in the reader's slot is also in the terminal's own slot. */
  #terminalHasCard = false;

  constructor(parts: ConnectionParts) {
    const { reader, terminal } = parts;
    this.#parts = parts;
    this.#unsubscribe = [
      terminal.onChange(() => this.#armAsNeeded()),
      reader.onStatus(() => {
        this.#showStatus();
        this.#armAsNeeded();
      }),
      reader.onEvent((event) => this.#received(event)),
    ];
    this.#showStatus();
    this.#armAsNeeded();
  }

  release(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#parts.reader.disarm();
    this.#parts.terminal.showReader(this.#parts.reader.name, undefined);
  }

  #showStatus(): void {
    const { name, status } = this.#parts.reader;
    this.#parts.terminal.showReader(name, { name, ready: status.state === 'ready', line: status.line });
  }

  /** Arms the reader for the entry modes that the terminal now asks for. */
  #armAsNeeded(): void {
    const { state } = this.#parts.terminal.screen();
    const lost = this.#parts.reader.status.state !== 'ready';
    // If the reader is lost, the card in the reader is lost too. The terminal is told about the lost card only when
    // it asks the shopper to remove the card. Before that, the shopper can continue the payment with keys.
    if (lost && this.#terminalHasCard && state === 'removeCard') return this.#cardGone();
    if (this.#readerHasCard) return;
    const entries = this.#wantedEntries();
    const { amount, currency } = this.#parts.terminal.sale() ?? { amount: 0, currency: 'EUR' };
    const armed = entries.length > 0 ? `${entries} ${amount} ${currency}` : '';
    if (armed === this.#armedFor) return;
    this.#armedFor = armed;
    if (armed === '') this.#parts.reader.disarm();
    else this.#parts.reader.arm({ entries, amount, currency });
  }

  #wantedEntries(): ReaderEntryMode[] {
    const { state, entries } = this.#parts.terminal.screen();
    if (state === 'off') return [];
    const slotOpen = entries.length === 0;
    return readerEntryModes.filter((entry) => entries.includes(entry) || (entry === 'ICC' && slotOpen));
  }

  #received(event: ReaderEvent): void {
    switch (event.type) {
      case 'card.present':
        this.#readerHasCard = event.entry === 'ICC';
        return;
      case 'card.read':
        return this.#present(event.read.entry, this.#cardOf(event.read));
      case 'card.error':
        // If a card was pulled out during the reading, the reader cannot tell whether the chip works, so the terminal
        // keeps asking for a card.
        if (event.entry === 'ICC' && event.code === 'REMOVED') return;
        return this.#present(
          event.entry,
          makeUnreadableCard(event.entry, event.code === 'COLLISION' ? 'several' : 'unreadable'),
        );
      case 'card.removed':
        if (event.entry === 'ICC') this.#cardGone();
        return;
      case 'reader.lost':
        this.#readerHasCard = false;
        return;
      case 'reader.back':
        return;
    }
  }

  /** A card of an unknown brand counts as unreadable. */
  #cardOf(read: CardRead): MaskedCard {
    return makeCardFromRead(read, this.#parts.rules, this.#parts.ways()) ?? makeUnreadableCard(read.entry);
  }

  #present(entry: ReaderEntryMode, card: MaskedCard): void {
    const refused = this.#parts.terminal.present(presentingWays[entry], card) !== undefined;
    if (entry === 'ICC' && !refused) this.#terminalHasCard = true;
  }

  #cardGone(): void {
    this.#readerHasCard = false;
    if (this.#terminalHasCard) {
      this.#terminalHasCard = false;
      this.#parts.terminal.remove();
    }
    this.#armAsNeeded();
  }
}

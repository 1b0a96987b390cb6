import type { Clock, TimerHandle } from '../../../shared/clock.ts';
import type { TestCardDefinition } from '../../../shared/emulator/cards.ts';
import type { CcidFramingName } from '../ccid/ccid-driver.ts';
import type { ByteTransport, LineSettings } from '../reader-driver.ts';
import { lineSettingsOf } from '../reader-drivers.ts';
import { CcidEmulator } from './ccid-emulator.ts';
import { createEmvCard, type EmvCard } from './emv-card.ts';
import { makeChipDefinition } from './emv-card-definition.ts';
import { createMsrEmulator, type MsrEmulator, type MsrFraming, makeCardTracks } from './msr-emulator.ts';
import { Pn532Emulator } from './pn532-emulator.ts';

/** The kinds of emulated readers, with their settings. */
export type EmulatedReaderOptions =
  | { readonly kind: 'pn532' }
  | {
      readonly kind: 'ccid';
      readonly framing?: CcidFramingName;
      readonly echo?: boolean;
      /** The protocol of the emulated chips. The default is T=0. */
      readonly protocol?: 'T=0' | 'T=1';
    }
  | { readonly kind: 'msr'; readonly framing?: MsrFraming; readonly lrc?: boolean };

/** Thrown if an emulated reader cannot do what was requested. The message says what the reader can do. */
export class EmulatedReaderError extends Error {}

/** An emulated reader. If its line is closed and another line replaces it, the card stays in the reader. */
export interface EmulatedReader {
  /** The line settings of a real reader of this kind. */
  readonly settings: LineSettings;
  connect(transport: ByteTransport): void;
  /**
   * Holds a card to the reader for `holdMs`.
   *
   * @throws EmulatedReaderError if the reader is not contactless
   */
  tap(card: TestCardDefinition, holdMs?: number): void;
  /**
   * Puts a card into the slot.
   *
   * @throws EmulatedReaderError if there is no slot, or a card is in it
   */
  insert(card: TestCardDefinition): void;
  /** Takes the card out of the slot, or away from the antenna. */
  remove(): void;
  /**
   * Swipes a card.
   *
   * @throws EmulatedReaderError if the reader takes no stripes
   */
  swipe(card: TestCardDefinition): void;
}

/** How long a shopper holds a card to the reader, in ms. */
const tapMs = 1_500;

export function createEmulatedReader(options: EmulatedReaderOptions, clock: Clock): EmulatedReader {
  switch (options.kind) {
    case 'pn532':
      return new ContactlessReader(clock);
    case 'ccid':
      return new ChipReader(options, clock);
    case 'msr':
      return new StripeReader(options);
  }
}

function cannot(what: string, instead: string): never {
  throw new EmulatedReaderError(`this reader ${what}: use ${instead}`);
}

class ContactlessReader implements EmulatedReader {
  readonly settings = lineSettingsOf({ driver: 'pn532' });
  readonly #clock: Clock;
  #chip: Pn532Emulator | undefined;
  #card: EmvCard | undefined;
  #away: TimerHandle | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  connect(transport: ByteTransport): void {
    this.#chip = new Pn532Emulator(transport, this.#clock);
    if (this.#card) this.#chip.present(this.#card);
  }

  tap(card: TestCardDefinition, holdMs: number = tapMs): void {
    if (!card.contactless) throw new EmulatedReaderError(`the card ${card.id} is not contactless`);
    this.remove();
    this.#card = createEmvCard(makeChipDefinition(card));
    this.#chip?.present(this.#card);
    this.#away = this.#clock.setTimeout(() => this.remove(), holdMs);
  }

  insert(): void {
    cannot('has no slot', 'tap CARD');
  }

  remove(): void {
    this.#clock.clearTimeout(this.#away);
    this.#card = undefined;
    this.#chip?.remove();
  }

  swipe(): void {
    cannot('reads no stripe', 'tap CARD');
  }
}

class ChipReader implements EmulatedReader {
  readonly settings: LineSettings;
  readonly #options: Extract<EmulatedReaderOptions, { kind: 'ccid' }>;
  readonly #clock: Clock;
  readonly #chips = new Map<string, EmvCard>();
  #reader: CcidEmulator | undefined;
  #card: EmvCard | undefined;

  constructor(options: Extract<EmulatedReaderOptions, { kind: 'ccid' }>, clock: Clock) {
    this.settings = lineSettingsOf({ driver: 'ccid', ...options });
    this.#options = options;
    this.#clock = clock;
  }

  connect(transport: ByteTransport): void {
    this.#reader = new CcidEmulator(transport, this.#clock, this.#options);
    if (this.#card) this.#reader.insert(this.#card);
  }

  tap(): void {
    cannot('is not contactless', 'insert CARD');
  }

  insert(card: TestCardDefinition): void {
    if (!card.chip) throw new EmulatedReaderError(`the card ${card.id} has no chip`);
    if (this.#card)
      throw new EmulatedReaderError(`the card ${this.#card.id} is in the slot: remove it first`);
    this.#card = this.#chipOf(card);
    this.#reader?.insert(this.#card);
  }

  remove(): void {
    this.#card = undefined;
    this.#reader?.remove();
  }

  swipe(): void {
    cannot('reads no stripe', 'insert CARD');
  }

  /**
   * Gives the chip of a card. Each time the same card is put in, the function gives the same chip object. This object
   * counts how often the card was presented, because some cards can be read only at the second try.
   */
  #chipOf(card: TestCardDefinition): EmvCard {
    const known = this.#chips.get(card.id);
    const chip = known ?? createEmvCard(makeChipDefinition(card, this.#options.protocol));
    this.#chips.set(card.id, chip);
    return chip;
  }
}

class StripeReader implements EmulatedReader {
  readonly settings = lineSettingsOf({ driver: 'msr' });
  readonly #options: Extract<EmulatedReaderOptions, { kind: 'msr' }>;
  #reader: MsrEmulator | undefined;

  constructor(options: Extract<EmulatedReaderOptions, { kind: 'msr' }>) {
    this.#options = options;
  }

  connect(transport: ByteTransport): void {
    this.#reader = createMsrEmulator(transport, this.#options);
  }

  tap(): void {
    cannot('is not contactless', 'swipe CARD');
  }

  insert(): void {
    cannot('has no slot', 'swipe CARD');
  }

  remove(): void {}

  swipe(card: TestCardDefinition): void {
    if (!card.stripe) throw new EmulatedReaderError(`the card ${card.id} has no stripe`);
    // If no line is connected, the swipe is lost, as on a real reader.
    this.#reader?.swipe(makeCardTracks(card)).catch(() => {});
  }
}

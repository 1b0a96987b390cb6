/** A card that a program is connected to. */
export interface SmartcardCard {
  /** One of the package's SCARD_PROTOCOL numbers. */
  readonly protocol: number;
  transmit(command: Buffer): Promise<Buffer>;
  /** Disconnects without a promise. `disposition` is what happens to the card, such as SCARD_UNPOWER_CARD. */
  disconnect(disposition: number): void;
}

/** A slot in PC/SC, which calls it a reader. A device with two slots is two of them. */
export interface SmartcardSlot {
  readonly name: string;
  /** The bits of SCARD_STATE, and above them how often a card came or went. */
  readonly state: number;
  readonly atr: Buffer | null;
}

/** A slot in which a card can be reached. */
export interface SmartcardListed extends SmartcardSlot {
  connect(shareMode: number, protocols: number): Promise<SmartcardCard>;
}

export interface SmartcardContext {
  /** Lists the readers without a promise. Fails if there is none. */
  listReaders(): SmartcardListed[];
  /**
   * Resolves to all slots if one differs from the given ones, to an empty list when the time is over, and to null if it
   * is cancelled.
   */
  waitForChange(
    slots: readonly Pick<SmartcardSlot, 'name' | 'state'>[],
    timeoutMs: number,
  ): Promise<SmartcardSlot[] | null>;
  /** Closes the context without a promise. */
  close(): void;
}

/** The part of the npm package `smartcard` that is used here. */
export interface Smartcard {
  /** A new context connects without a promise, and fails if the service does not run. */
  readonly Context: new () => SmartcardContext;
  readonly SCARD_SHARE_SHARED: number;
  readonly SCARD_PROTOCOL_T0: number;
  readonly SCARD_PROTOCOL_T1: number;
  readonly SCARD_UNPOWER_CARD: number;
  readonly SCARD_STATE_PRESENT: number;
}

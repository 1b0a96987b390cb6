/** A card to which this program is connected. */
export interface ConnectedCard {
  /** The number of the card's protocol; the package names them SCARD_PROTOCOL_…. */
  readonly protocol: number;
  transmit(command: Buffer): Promise<Buffer>;
  /**
   * Disconnects at once; there is no promise to wait for. `disposition` says what happens to the card, such as
   * SCARD_UNPOWER_CARD.
   */
  disconnect(disposition: number): void;
}

/** A slot, which PC/SC calls a reader. A device with two slots counts as two readers. */
export interface SmartcardSlot {
  readonly name: string;
  /** The bits of SCARD_STATE. The bits above them count how often a card came or went. */
  readonly state: number;
  readonly atr: Buffer | null;
}

/** A slot whose card a program can connect to. */
export interface ConnectableSlot extends SmartcardSlot {
  connect(shareMode: number, protocols: number): Promise<ConnectedCard>;
}

export interface SmartcardContext {
  /** Lists the readers at once; there is no promise to wait for. Throws if there is no reader. */
  listReaders(): ConnectableSlot[];
  /**
   * Resolves to all slots as soon as one slot differs from its entry in `slots`. Resolves to an empty list if no slot
   * differs within `timeoutMs`, and to null if the call is cancelled.
   */
  waitForChange(
    slots: readonly Pick<SmartcardSlot, 'name' | 'state'>[],
    timeoutMs: number,
  ): Promise<SmartcardSlot[] | null>;
  /** Closes the context at once; there is no promise to wait for. */
  close(): void;
}

/** The parts of the npm package `smartcard` that pinpad uses. */
export interface SmartcardModule {
  /** The constructor connects to the service at once, and throws if the service does not run. */
  readonly Context: new () => SmartcardContext;
  readonly SCARD_SHARE_SHARED: number;
  readonly SCARD_PROTOCOL_T0: number;
  readonly SCARD_PROTOCOL_T1: number;
  readonly SCARD_UNPOWER_CARD: number;
  readonly SCARD_STATE_PRESENT: number;
}

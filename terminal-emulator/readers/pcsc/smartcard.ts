/** A card that a program is connected to. */
export interface SmartcardCard {
  /** One of the package's SCARD_PROTOCOL numbers. */
  readonly protocol: number;
  transmit(command: Buffer): Promise<Buffer>;
  /** Synchronous; `disposition` is what happens to the card: SCARD_UNPOWER_CARD. */
  disconnect(disposition: number): void;
}

/** A slot as PC/SC has it, which calls it a reader: a device with two slots is two of them. */
export interface SmartcardSlot {
  readonly name: string;
  /** SCARD_STATE bits, and above them how often a card came or went. */
  readonly state: number;
  readonly atr: Buffer | null;
}

/** A slot that a card can be reached in. */
export interface SmartcardListed extends SmartcardSlot {
  connect(shareMode: number, protocols: number): Promise<SmartcardCard>;
}

export interface SmartcardContext {
  /** Synchronous. Fails where there is none. */
  listReaders(): SmartcardListed[];
  /** Resolves to all slots where one is no longer as given; to none after the time, and to null where it is given up. */
  waitForChange(
    slots: readonly Pick<SmartcardSlot, 'name' | 'state'>[],
    timeoutMs: number,
  ): Promise<SmartcardSlot[] | null>;
  /** Synchronous. */
  close(): void;
}

/** The part of the npm package `smartcard` that is used here. */
export interface Smartcard {
  /** Making one is synchronous, and fails where the service does not run. */
  readonly Context: new () => SmartcardContext;
  readonly SCARD_SHARE_SHARED: number;
  readonly SCARD_PROTOCOL_T0: number;
  readonly SCARD_PROTOCOL_T1: number;
  readonly SCARD_UNPOWER_CARD: number;
  readonly SCARD_STATE_PRESENT: number;
}

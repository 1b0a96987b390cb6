/**
 * The calls to the PC/SC service that pinpad makes through a process of its own. They block for as long as a card or
 * the service takes, and a process cannot end during a blocking call. So the separate process is ended instead of
 * pinpad (B204).
 */
export interface PcscCalls {
  /** Connects to the service anew, and gives all slots of all readers. */
  list(): readonly PcscSlot[];
  /** Gives the slots as soon as one differs from the given ones; gives an empty list when the time is over. */
  watch(slots: readonly Pick<PcscSlot, 'name' | 'state'>[], forMs: number): readonly PcscSlot[];
  /**
   * Connects to the card in a slot, and gives its protocol. The connection is shared, because other programs look at
   * cards too.
   */
  connect(slot: string): 'T=0' | 'T=1';
  transmit(slot: string, command: Uint8Array): Uint8Array;
  /** Takes the power from the card. */
  disconnect(slot: string): void;
}

/** A slot of a reader, and what is in it now. */
export interface PcscSlot {
  readonly name: string;
  /** The service's own description of what is in the slot. The next `watch` needs it. */
  readonly state: number;
  /** The card's answer to reset, empty if the chip gives none; undefined if the slot is empty. */
  readonly card: Uint8Array | undefined;
}

/** A call, sent as a message. */
export interface PcscAsked {
  readonly id: number;
  readonly call: keyof PcscCalls;
  readonly args: readonly unknown[];
}

/** The answer to a call. */
export type PcscAnswer =
  | { readonly id: number; readonly result: unknown }
  /** `message` comes from the service or the system. `loading` is set if the package could not be loaded. */
  | {
      readonly id: number;
      readonly failure: { readonly message: string; readonly code?: string; readonly loading?: boolean };
    };

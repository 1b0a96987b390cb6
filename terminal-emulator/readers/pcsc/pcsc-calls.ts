/**
 * What pinpad asks of the PC/SC service through a process of its own. The service's calls block, as long as a card or the
 * service pleases, and a process waits for its blocking calls when it ends; that process is ended instead (B204).
 */
export interface PcscCalls {
  /** Begins anew with the service, and gives all slots of all readers. */
  list(): readonly PcscSlot[];
  /** Gives the slots anew as soon as one is not as given; none after that time. */
  watch(slots: readonly Pick<PcscSlot, 'name' | 'state'>[], forMs: number): readonly PcscSlot[];
  /** Connects to the card in a slot, shared: other programs look at cards, too. Gives how it speaks. */
  connect(slot: string): 'T=0' | 'T=1';
  transmit(slot: string, command: Uint8Array): Uint8Array;
  /** Takes the power from the card. */
  disconnect(slot: string): void;
}

/** A slot of a reader, and what is in it now. */
export interface PcscSlot {
  readonly name: string;
  /** The service's own description of that, to be given back. */
  readonly state: number;
  /** A card's answer to reset, which is empty where the chip gives none; undefined where no card is in it. */
  readonly card: Uint8Array | undefined;
}

/** A call as a message. */
export interface PcscAsked {
  readonly id: number;
  readonly call: keyof PcscCalls;
  readonly args: readonly unknown[];
}

/** What came of it. */
export type PcscSaid =
  | { readonly id: number; readonly result: unknown }
  /** `message` is the service's or the system's; where `loading` is set, the package could not be loaded. */
  | {
      readonly id: number;
      readonly failure: { readonly message: string; readonly code?: string; readonly loading?: boolean };
    };

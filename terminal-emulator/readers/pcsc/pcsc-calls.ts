/**
 * The calls to the PC/SC service. They block for as long as the card or the service takes, and a process cannot end
 * during a blocking call. So pinpad makes these calls in a separate process: pinpad can end that process and continue
 * to run (B204).
 */
export interface PcscCalls {
  /** Opens a new connection to the service, and gives all slots of all readers. */
  list(): readonly PcscSlot[];
  /**
   * Waits until a slot differs from its entry in `slots`, then gives all slots. Gives an empty list if no slot
   * differs within `forMs`.
   */
  watch(slots: readonly Pick<PcscSlot, 'name' | 'state'>[], forMs: number): readonly PcscSlot[];
  /**
   * Connects to the card in a slot, and gives the card's protocol. The connection is shared, because other programs may
   * use the card too.
   */
  connect(slot: string): 'T=0' | 'T=1';
  transmit(slot: string, command: Uint8Array): Uint8Array;
  /** Switches the card's power off. */
  disconnect(slot: string): void;
}

/** A slot of a reader, with the card that is in it now. */
export interface PcscSlot {
  readonly name: string;
  /** The service's own number for the state of the slot. The next call of `watch` needs it. */
  readonly state: number;
  /** The card's answer to reset. It is empty if the chip gives none, and undefined if the slot is empty. */
  readonly card: Uint8Array | undefined;
}

/** A call, in the form in which it is sent to the separate process. */
export interface PcscRequest {
  readonly id: number;
  readonly call: keyof PcscCalls;
  readonly args: readonly unknown[];
}

/** The answer of the separate process to a call. */
export type PcscAnswer =
  | { readonly id: number; readonly result: unknown }
  /**
   * The call failed. `message` comes from the PC/SC service or the operating system. `loading` is set if the npm
   * package could not be loaded.
   */
  | {
      readonly id: number;
      readonly failure: { readonly message: string; readonly code?: string; readonly loading?: boolean };
    };

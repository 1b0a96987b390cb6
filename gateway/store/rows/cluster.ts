/** A gateway of this database. `seen_at` is the time of its last heartbeat, by the database's clock. */
export interface GatewayRow {
  id: string;
  name: string;
  seen_at: number;
  /**
   * 1 if the other gateways declared this gateway dead. The row is kept. If the gateway is alive after all, it
   * registers with a new row.
   */
  ended: number;
  /** 1 if the gateway knows reversals and refunds; null if the gateway is of an older release. */
  gives_back: number | null;
}

/**
 * The gateway that owns a terminal's payments. The terminal dialled this gateway last, or this gateway took over from a
 * dead gateway.
 */
export interface TerminalOwnerRow {
  terminal_id: string;
  gateway_id: string;
  /** A number that goes up with each new owner. The database refuses changes by former owners. */
  epoch: number;
  /** 1 while the terminal is connected to its owner. */
  connected: number;
  /**
   * The dial (a numbered attempt to connect) with which the owner got the terminal; null if the terminal does not
   * number its dials. The owner keeps the terminal if an earlier dial of the same instance arrives later.
   */
  instance: string | null;
  dial: number | null;
  /**
   * The value of `epoch` when the dial was stored. If `epoch` has another value now, the present owner is of an older
   * release and stored no dial.
   */
  dialled_epoch: number | null;
}

/** The gateway that does a kind of work. Only one gateway at a time does that work. */
export interface LeaseRow {
  name: string;
  gateway_id: string;
  /** A number that goes up each time another gateway takes the lease. */
  token: number;
  /** The end of the lease, by the database's clock. */
  expires_at: number;
}

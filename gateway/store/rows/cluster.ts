/** A gateway of this database. It is alive as long as it says so, by the database's clock. */
export interface GatewayRow {
  id: string;
  name: string;
  seen_at: number;
  /** 1 if the other gateways gave it up. The row stays so; the gateway registers anew. */
  ended: number;
  /** 1 for a gateway that knows reversals and refunds; null for an older release. */
  gives_back: number | null;
}

/** The gateway that owns a terminal's payments: the one that had its link last, or that took over from a dead one. */
export interface TerminalOwnerRow {
  terminal_id: string;
  gateway_id: string;
  /** Counts up with each owner: a former owner's changes are refused. */
  epoch: number;
  /** 1 while the owner holds the terminal's link. */
  connected: number;
  /** The dial of its link, if the link gave a number: an older dial of the same instance does not take the terminal. */
  instance: string | null;
  dial: number | null;
  /** The epoch for which the dial was written. If it is not the present one, an owner of an older release wrote no dial. */
  dialled_epoch: number | null;
}

/** The gateway that does a kind of work which only one gateway does at a time. */
export interface LeaseRow {
  name: string;
  gateway_id: string;
  /** Counts up with every gateway that takes it. */
  token: number;
  /** By the database's clock. */
  expires_at: number;
}

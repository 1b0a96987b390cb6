/** A gateway of this database. It is alive as long as it says so: by the database's clock. */
export interface GatewayRow {
  id: string;
  name: string;
  seen_at: number;
  /** 1: the others gave it up. It never is again, but registers anew. */
  ended: number;
  /** 1 of a gateway that knows reversals and refunds; null of an older release. */
  gives_back: number | null;
}

/** Whose a terminal's payments are: the gateway's that held its link last, or that took over from a dead one. */
export interface TerminalOwnerRow {
  terminal_id: string;
  gateway_id: string;
  /** Counts up with each owner: a former one's changes are refused. */
  epoch: number;
  /** 1 while the owner holds the terminal's link. */
  connected: number;
  /** Which dial its link is, where it says so: an older one of the same instance does not take the terminal. */
  instance: string | null;
  dial: number | null;
  /** The epoch that this was written for: another one's owner, of an older release, has not said. */
  dialled_epoch: number | null;
}

/** Which gateway does a kind of work that is one gateway's at a time. */
export interface LeaseRow {
  name: string;
  gateway_id: string;
  /** Counts up with every gateway that takes it. */
  token: number;
  /** By the database's clock. */
  expires_at: number;
}

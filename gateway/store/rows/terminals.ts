import type { Owned } from '../ownership.ts';

export interface StoreRow extends Owned {
  id: string;
  name: string;
  address: string;
  created_at: number;
}

export interface TerminalRow extends Owned {
  id: string;
  poi_id: string;
  store_id: string;
  payout_account: string | null;
  device_key_hash: string;
  /** 1 or 0; null follows the account. */
  magic_amounts: number | null;
  created_at: number;
}

/** The last number given of a kind; its row is held while terminals get numbers. */
export interface TerminalNumberRow {
  name: string;
  last: number;
}

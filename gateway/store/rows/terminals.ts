import type { OwnerColumns } from '../ownership.ts';

export interface StoreRow extends OwnerColumns {
  id: string;
  name: string;
  address: string;
  created_at: number;
}

export interface TerminalRow extends OwnerColumns {
  id: string;
  poi_id: string;
  store_id: string;
  payout_account: string | null;
  device_key_hash: string;
  /**
   * 1 if the ending of an amount decides the host's answer, 0 if it does not; null if the account's setting applies.
   */
  magic_amounts: number | null;
  created_at: number;
}

/**
 * For one kind of terminal, the last number that was given to a terminal. The row is locked while terminals get
 * numbers.
 */
export interface LastTerminalNumberRow {
  name: string;
  last: number;
}

import type { Owned } from '../ownership.ts';

export interface AccountRow {
  id: string;
  name: string;
  currency: string;
  /** Minor units. */
  transaction_limit: number;
  /** 1 or 0. */
  magic_amounts: number;
  merchant_id: string;
  /** 1 or 0: charging and preauthorizing saved cards is enabled. */
  card_on_file: number;
  /** The customer surcharge, parts per million of the amount. */
  surcharge_ppm: number;
  created_at: number;
}

/** A token or key that was made, in plain text: every gateway of the database shows it and lets its holder in. */
export interface SharedSecretRow {
  name: string;
  secret: string;
}

export interface TokenRow extends Owned {
  id: string;
  hash: string;
  label: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

import type { OwnerColumns } from '../ownership.ts';

export interface AccountRow {
  id: string;
  name: string;
  currency: string;
  /** The limit for one payment, in minor units. */
  transaction_limit: number;
  /** 1 if the ending of an amount decides the host's answer, otherwise 0. */
  magic_amounts: number;
  merchant_id: string;
  /** 1 if saved cards can be charged and preauthorized, otherwise 0. */
  card_on_file: number;
  /** The customer's surcharge in parts per million of the amount. */
  surcharge_ppm: number;
  created_at: number;
}

/**
 * A token or key that a gateway made, in plain text. Every gateway of the database accepts it and shows it to the
 * operator.
 */
export interface SharedSecretRow {
  name: string;
  secret: string;
}

export interface TokenRow extends OwnerColumns {
  id: string;
  hash: string;
  label: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

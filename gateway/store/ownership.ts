/** The half of the service to which something belongs. Nothing crosses between the halves (B6). */
export type Environment = 'sandbox' | 'production';

/** The account and environment whose data a caller may see. */
export interface Owner {
  accountId: string;
  environment: Environment;
}

/** Every owned row names its owner. */
export interface Owned {
  account_id: string;
  environment: Environment;
}

/** Whether a row is the caller's. */
export function isOwned(row: Owned, owner: Owner): boolean {
  return row.account_id === owner.accountId && row.environment === owner.environment;
}

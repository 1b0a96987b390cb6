/** The environment of data: either the sandbox or production. The data of the two are fully separate (B6). */
export type Environment = 'sandbox' | 'production';

/** The account and environment of a caller. The caller may see only the data of this account in this environment. */
export interface Owner {
  accountId: string;
  environment: Environment;
}

/** The columns that say to which account and environment a row belongs. */
export interface OwnerColumns {
  account_id: string;
  environment: Environment;
}

/** Returns whether a row belongs to the caller. */
export function isOwnedBy(row: OwnerColumns, owner: Owner): boolean {
  return row.account_id === owner.accountId && row.environment === owner.environment;
}

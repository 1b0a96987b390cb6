import {
  type Pagination,
  readDueRows,
  readRowById,
  selectPageLatestFirst,
  whereEqualIfGiven,
} from '../store/read-rows.ts';
import type { CreditRow, VerifiedCreditVisitorRow } from '../store/rows/credits.ts';
import type { Tx } from '../store/schema.ts';

export function readCreditById(tx: Tx, id: string): Promise<CreditRow | undefined> {
  return readRowById(tx, 'credits', id.toLowerCase());
}

/** Reads the credit of a link, by the hash of the link's secret. */
export function readCreditByToken(tx: Tx, tokenHash: string): Promise<CreditRow | undefined> {
  return tx.selectFrom('credits').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
}

/**
 * Reads the credits that no customer has accepted and that expire before a certain time. The credit that expires first
 * comes first.
 */
export function readExpiringCredits(
  tx: Tx,
  before?: number,
): Promise<Pick<CreditRow, 'id' | 'created_at' | 'expires_at'>[]> {
  const open = tx
    .selectFrom('credits')
    .select(['id', 'created_at', 'expires_at'])
    .where('state', '=', 'initiated');
  return readDueRows(open, 'expires_at', before);
}

/** Reads a page of credits of all accounts, the latest first. */
export function listCredits(
  tx: Tx,
  filter: Pagination & { accountId?: string; contactId?: string; state?: CreditRow['state'] },
): Promise<CreditRow[]> {
  const { limit, before, accountId, contactId, state } = filter;
  const page = { limit, before: before?.toLowerCase() };
  const credits = selectPageLatestFirst(tx.selectFrom('credits').selectAll(), 'id', page);
  return whereEqualIfGiven(credits, { account_id: accountId, contact_id: contactId, state }).execute();
}

export function readVisit(
  tx: Tx,
  credit: CreditRow,
  id: string,
): Promise<VerifiedCreditVisitorRow | undefined> {
  return tx
    .selectFrom('credit_visits')
    .selectAll()
    .where('id', '=', id)
    .where('credit_id', '=', credit.id)
    .executeTakeFirst();
}

import {
  type Pagination,
  readDueRows,
  selectPageLatestFirst,
  whereEqualIfGiven,
} from '../store/read-rows.ts';
import type { RefundRow } from '../store/rows/refunds.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import type { Tx } from '../store/schema.ts';

/** Reads the authorizations that are not captured yet and that expire before the given time, the earliest first. */
export function readExpiringAuthorizations(
  tx: Tx,
  before?: number,
): Promise<Pick<DebitRow, 'id' | 'created_at' | 'expires_at'>[]> {
  const open = tx
    .selectFrom('debits')
    .select(['id', 'created_at', 'expires_at'])
    .where('state', '=', 'preauthorized');
  return readDueRows(open, 'expires_at', before);
}

/** Reads the refunds whose next status is due before the given time, the earliest first. */
export function readDueRefunds(
  tx: Tx,
  before?: number,
): Promise<Pick<RefundRow, 'id' | 'debit_id' | 'status' | 'due_at'>[]> {
  const due = tx
    .selectFrom('refunds')
    .select(['id', 'debit_id', 'status', 'due_at'])
    .where('due_at', 'is not', null);
  return readDueRows(due, 'due_at', before);
}

/** Reads a page of debits of all accounts, the latest first. */
export function listDebits(
  tx: Tx,
  filter: Pagination & { accountId?: string; contactId?: string; state?: DebitRow['state'] },
): Promise<DebitRow[]> {
  const { limit, before, accountId, contactId, state } = filter;
  const page = { limit, before: before?.toLowerCase() };
  const debits = selectPageLatestFirst(tx.selectFrom('debits').selectAll(), 'id', page);
  return whereEqualIfGiven(debits, { account_id: accountId, contact_id: contactId, state }).execute();
}

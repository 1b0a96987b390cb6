import { mostAtOnce } from '../engine/due.ts';
import type { RefundRow } from '../store/rows/refunds.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import type { Tx } from '../store/schema.ts';

/** The authorizations that wait for their capture; those that run out before a moment, the first first. */
export function readAuthorizations(
  tx: Tx,
  before?: number,
): Promise<Pick<DebitRow, 'id' | 'created_at' | 'expires_at'>[]> {
  const open = tx
    .selectFrom('debits')
    .select(['id', 'created_at', 'expires_at'])
    .where('state', '=', 'preauthorized');
  if (before === undefined) return open.orderBy('id').execute();
  return open.where('expires_at', '<=', before).orderBy('expires_at').limit(mostAtOnce).execute();
}

/** The refunds that go on by themselves; those that do before a moment, the first first. */
export function readDueRefunds(
  tx: Tx,
  before?: number,
): Promise<Pick<RefundRow, 'id' | 'debit_id' | 'status' | 'due_at'>[]> {
  const due = tx
    .selectFrom('refunds')
    .select(['id', 'debit_id', 'status', 'due_at'])
    .where('due_at', 'is not', null);
  if (before === undefined) return due.orderBy('id').execute();
  return due.where('due_at', '<=', before).orderBy('due_at').limit(mostAtOnce).execute();
}

/** Debits of all accounts, the latest first. */
export function listDebits(
  tx: Tx,
  filter: {
    limit: number;
    before?: string;
    accountId?: string;
    contactId?: string;
    state?: DebitRow['state'];
  },
): Promise<DebitRow[]> {
  const { limit, before, accountId, contactId, state } = filter;
  let query = tx.selectFrom('debits').selectAll().orderBy('id', 'desc').limit(limit);
  if (before !== undefined) query = query.where('id', '<', before.toLowerCase());
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  if (contactId !== undefined) query = query.where('contact_id', '=', contactId);
  if (state !== undefined) query = query.where('state', '=', state);
  return query.execute();
}

import { mostAtOnce } from '../engine/due.ts';
import type { CreditRow, CreditVisitRow } from '../store/rows/credits.ts';
import type { Tx } from '../store/schema.ts';

export function creditById(tx: Tx, id: string): Promise<CreditRow | undefined> {
  return tx.selectFrom('credits').selectAll().where('id', '=', id.toLowerCase()).executeTakeFirst();
}

/** The credit of a link, by the hash of its secret. */
export function creditByToken(tx: Tx, tokenHash: string): Promise<CreditRow | undefined> {
  return tx.selectFrom('credits').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
}

/** The credits that wait for their customers; those whose links run out before a moment, the first first. */
export function readInitiated(
  tx: Tx,
  before?: number,
): Promise<Pick<CreditRow, 'id' | 'created_at' | 'expires_at'>[]> {
  const open = tx
    .selectFrom('credits')
    .select(['id', 'created_at', 'expires_at'])
    .where('state', '=', 'initiated');
  if (before === undefined) return open.orderBy('id').execute();
  return open.where('expires_at', '<=', before).orderBy('expires_at').limit(mostAtOnce).execute();
}

/** Credits of all accounts, the latest first. */
export function listCredits(
  tx: Tx,
  filter: {
    limit: number;
    before?: string;
    accountId?: string;
    contactId?: string;
    state?: CreditRow['state'];
  },
): Promise<CreditRow[]> {
  const { limit, before, accountId, contactId, state } = filter;
  let query = tx.selectFrom('credits').selectAll().orderBy('id', 'desc').limit(limit);
  if (before !== undefined) query = query.where('id', '<', before.toLowerCase());
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  if (contactId !== undefined) query = query.where('contact_id', '=', contactId);
  if (state !== undefined) query = query.where('state', '=', state);
  return query.execute();
}

export function visitOf(tx: Tx, credit: CreditRow, id: string): Promise<CreditVisitRow | undefined> {
  return tx
    .selectFrom('credit_visits')
    .selectAll()
    .where('id', '=', id)
    .where('credit_id', '=', credit.id)
    .executeTakeFirst();
}

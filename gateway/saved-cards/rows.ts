import type { CreditCardRow, DebitRow } from '../store/rows/saved-cards.ts';
import type { Tx } from '../store/schema.ts';
import type { Owner } from './find-owned.ts';

export async function insertDebit(tx: Tx, row: DebitRow): Promise<void> {
  await tx.insertInto('debits').values(row).execute();
}

/** A debit of the owner's, whatever its state. */
export function findDebit(tx: Tx, owner: Owner, id: string): Promise<DebitRow | undefined> {
  return tx
    .selectFrom('debits')
    .selectAll()
    .where('id', '=', id.toLowerCase())
    .where('account_id', '=', owner.accountId)
    .where('environment', '=', owner.environment)
    .executeTakeFirst();
}

/** A debit of anybody. */
export function debitById(tx: Tx, id: string): Promise<DebitRow | undefined> {
  return tx.selectFrom('debits').selectAll().where('id', '=', id.toLowerCase()).executeTakeFirst();
}

export async function updateDebit(
  tx: Tx,
  id: string,
  changes: Partial<Pick<DebitRow, 'state' | 'decline_code' | 'why' | 'captured_at' | 'ended_at'>>,
): Promise<void> {
  await tx.updateTable('debits').set(changes).where('id', '=', id).execute();
}

/** Every authorization that waits for its capture. */
export function readAuthorizations(tx: Tx): Promise<Pick<DebitRow, 'id' | 'created_at' | 'expires_at'>[]> {
  return tx
    .selectFrom('debits')
    .select(['id', 'created_at', 'expires_at'])
    .where('state', '=', 'preauthorized')
    .orderBy('id')
    .execute();
}

/** The card a debit was made with. */
export function cardOfDebit(tx: Tx, debit: DebitRow): Promise<CreditCardRow> {
  return tx
    .selectFrom('credit_cards')
    .selectAll()
    .where('id', '=', debit.credit_card_id)
    .executeTakeFirstOrThrow();
}

/** Debits of everybody, the latest first. */
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

import { ApiError } from '../http/errors.ts';
import type { Owner } from '../saved-cards/find-owned.ts';
import { findDebit } from '../saved-cards/rows.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import type { Tx } from '../store/schema.ts';

/**
 * The debit of a path, if it is the caller's and was paid by a saved credit card.
 *
 * @throws ApiError debitNotPaidByCreditCard for what is a transaction of another kind (B92); debitNotFound
 */
export async function refundableDebit(tx: Tx, owner: Owner, id: string): Promise<DebitRow> {
  const debit = await findDebit(tx, owner, id);
  if (debit) return debit;
  throw new ApiError(
    (await isOtherTransaction(tx, owner, id)) ? 'debitNotPaidByCreditCard' : 'debitNotFound',
  );
}

/** Whether the identifier is that of a transaction that is no debit: a terminal payment or a payment link. */
async function isOtherTransaction(tx: Tx, owner: Owner, id: string): Promise<boolean> {
  for (const table of ['payments', 'credits'] as const) {
    const row = await tx
      .selectFrom(table)
      .select('id')
      .where('id', '=', id.toLowerCase())
      .where('account_id', '=', owner.accountId)
      .where('environment', '=', owner.environment)
      .executeTakeFirst();
    if (row) return true;
  }
  return false;
}

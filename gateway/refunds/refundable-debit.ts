import { ApiError } from '../http/errors.ts';
import { isOwned } from '../saved-cards/card-directory.ts';
import type { DebitFacts } from '../saved-cards/debit-facts.ts';
import type { Owner } from '../store/ownership.ts';
import type { Store } from '../store/store.ts';

/**
 * The debit of a path, if it is the caller's and was paid by a saved credit card.
 *
 * @throws ApiError debitNotPaidByCreditCard for what is a transaction of another kind (B92); debitNotFound
 */
export async function refundableDebit(
  store: Store,
  owner: Owner,
  id: string,
  facts: DebitFacts | undefined,
): Promise<DebitFacts> {
  if (facts && isOwned(facts.debit, owner)) return facts;
  throw new ApiError(
    (await isOtherTransaction(store, owner, id)) ? 'debitNotPaidByCreditCard' : 'debitNotFound',
  );
}

/** Whether the identifier is that of a transaction that is no debit: a terminal payment or a payment link. */
function isOtherTransaction(store: Store, owner: Owner, id: string): Promise<boolean> {
  return store.read(async (tx) => {
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
  });
}

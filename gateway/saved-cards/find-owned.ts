import { ApiError } from '../http/errors.ts';
import type { Environment } from '../store/ownership.ts';
import type { BankAccountRow, ContactRow, CreditCardRow } from '../store/rows/saved-cards.ts';
import type { Tx } from '../store/schema.ts';

/** Whose things may be seen. */
export interface Owner {
  accountId: string;
  environment: Environment;
}

/**
 * A contact of the caller's account.
 *
 * @throws ApiError contactNotFound, also for another account's (B7)
 */
export async function findContact(tx: Tx, owner: Owner, id: string): Promise<ContactRow> {
  const row = await tx.selectFrom('contacts').selectAll().where('id', '=', id).executeTakeFirst();
  return owned(row, owner, 'contactNotFound');
}

/**
 * A card of a contact.
 *
 * @throws ApiError contactNotFound, creditCardNotFound
 */
export async function findCreditCard(
  tx: Tx,
  owner: Owner,
  contactId: string,
  id: string,
): Promise<CreditCardRow> {
  const contact = await findContact(tx, owner, contactId);
  const row = await tx
    .selectFrom('credit_cards')
    .selectAll()
    .where('id', '=', id)
    .where('contact_id', '=', contact.id)
    .executeTakeFirst();
  return owned(row, owner, 'creditCardNotFound');
}

/**
 * A bank account of the caller's account.
 *
 * @throws ApiError bankAccountNotFound
 */
export async function findBankAccount(tx: Tx, owner: Owner, id: string): Promise<BankAccountRow> {
  const row = await tx.selectFrom('bank_accounts').selectAll().where('id', '=', id).executeTakeFirst();
  return owned(row, owner, 'bankAccountNotFound');
}

function owned<Row extends { account_id: string; environment: Environment }>(
  row: Row | undefined,
  owner: Owner,
  missing: 'contactNotFound' | 'creditCardNotFound' | 'bankAccountNotFound',
): Row {
  if (row?.account_id !== owner.accountId || row.environment !== owner.environment)
    throw new ApiError(missing);
  return row;
}

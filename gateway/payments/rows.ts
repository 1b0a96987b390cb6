import { sql } from 'kysely';
import { prepared, preparedInsert } from '../store/prepared.ts';
import type { OpenPaymentRow, PaymentRow } from '../store/rows/payments.ts';
import type { Tx } from '../store/schema.ts';

/** Whose payments may be seen. */
interface Owner {
  accountId: string;
  environment: PaymentRow['environment'];
}

/** A payment and, once it is concluded, its answer. */
export interface Found {
  id: string;
  accepted_at: number;
  request_hash: string | null;
  concluded_at: number | null;
  answer: string | null;
}

const found = (tx: Tx) =>
  tx
    .selectFrom('payments')
    .leftJoin('payment_results', 'payment_id', 'id')
    .select(['id', 'accepted_at', 'request_hash', 'concluded_at', 'answer']);

export function findById(tx: Tx, owner: Owner, id: string): Promise<Found | undefined> {
  return found(tx)
    .where('id', '=', id)
    .where('account_id', '=', owner.accountId)
    .where('environment', '=', owner.environment)
    .executeTakeFirst();
}

const byKey = prepared(
  (db, arg: (name: 'account' | 'environment' | 'key') => never) =>
    found(db)
      .where('account_id', '=', arg('account'))
      .where('idempotency_key', '=', arg('key'))
      .where('environment', '=', arg('environment'))
      .orderBy('id', 'desc')
      .limit(sql.lit(1)), // SQLite plans better with the number than with a parameter
);

/** The latest payment of a key: a key that expired may have been used again (B58). */
export async function findByKey(tx: Tx, owner: Owner, key: string): Promise<Found | undefined> {
  const { accountId: account, environment } = owner;
  return (await byKey(tx, { account, environment, key }))[0];
}

/** The latest on a terminal; those of a former owner's terminal of the same identifier are not the caller's. */
export function findLatest(tx: Tx, owner: Owner, terminalId: string): Promise<Found | undefined> {
  return found(tx)
    .where('terminal_id', '=', terminalId)
    .where('account_id', '=', owner.accountId)
    .where('environment', '=', owner.environment)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export const insertPayment = preparedInsert('payments');
export const insertOpen = preparedInsert('open_payments');
export const insertResult = preparedInsert('payment_results');

export async function updateOpen(
  tx: Tx,
  paymentId: string,
  changes: Partial<Omit<OpenPaymentRow, 'payment_id' | 'terminal_id'>>,
): Promise<void> {
  await tx.updateTable('open_payments').set(changes).where('payment_id', '=', paymentId).execute();
}

const deleteOpenRow = prepared((db, arg: (name: 'id') => never) =>
  db.deleteFrom('open_payments').where('payment_id', '=', arg('id')),
);
export async function deleteOpen(tx: Tx, id: string): Promise<void> {
  await deleteOpenRow(tx, { id });
}

/** Every unconcluded payment, oldest first. */
export function readOpen(tx: Tx): Promise<(PaymentRow & OpenPaymentRow)[]> {
  return tx
    .selectFrom('open_payments')
    .innerJoin('payments', 'id', 'payment_id')
    .selectAll()
    .orderBy('payment_id')
    .execute();
}

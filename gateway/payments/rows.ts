import type { OpenPaymentRow, PaymentResultRow, PaymentRow, Tx } from '../store/schema.ts';

/** Whose payments may be seen. */
export interface Owner {
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

/** The latest payment of a key: a key that expired may have been used again (decision 29). */
export function findByKey(tx: Tx, owner: Owner, key: string): Promise<Found | undefined> {
  return found(tx)
    .where('account_id', '=', owner.accountId)
    .where('idempotency_key', '=', key)
    .where('environment', '=', owner.environment)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export function findLatest(tx: Tx, terminalId: string): Promise<Found | undefined> {
  return found(tx).where('terminal_id', '=', terminalId).orderBy('id', 'desc').limit(1).executeTakeFirst();
}

export async function serviceIdTaken(tx: Tx, terminalId: string, serviceId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('payments')
    .select('id')
    .where('terminal_id', '=', terminalId)
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertPayment(tx: Tx, row: PaymentRow): Promise<void> {
  await tx.insertInto('payments').values(row).execute();
}

export async function insertOpen(tx: Tx, row: OpenPaymentRow): Promise<void> {
  await tx.insertInto('open_payments').values(row).execute();
}

export async function updateOpen(
  tx: Tx,
  paymentId: string,
  changes: Partial<Omit<OpenPaymentRow, 'payment_id' | 'terminal_id'>>,
): Promise<void> {
  await tx.updateTable('open_payments').set(changes).where('payment_id', '=', paymentId).execute();
}

export async function insertResult(tx: Tx, row: PaymentResultRow): Promise<void> {
  await tx.insertInto('payment_results').values(row).execute();
}

export async function deleteOpen(tx: Tx, paymentId: string): Promise<void> {
  await tx.deleteFrom('open_payments').where('payment_id', '=', paymentId).execute();
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

import { ApiError } from '../http/errors.ts';
import { cardOfDebit, debitById } from '../saved-cards/rows.ts';
import { findTestCard, type TestCard } from '../saved-cards/test-cards.ts';
import type { RefundRow } from '../store/rows/refunds.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import type { Tx } from '../store/schema.ts';
import { type Refundability, refundability } from './refundability.ts';

/** What became of a debit's money. */
export interface DebitRefunds {
  debit: DebitRow;
  state: Refundability;
  /** The oldest first. */
  refunds: RefundRow[];
}

export async function readRefunds(tx: Tx, debit: DebitRow): Promise<DebitRefunds> {
  const refunds = await tx
    .selectFrom('refunds')
    .selectAll()
    .where('debit_id', '=', debit.id)
    .orderBy('id')
    .execute();
  const limit = await tx
    .selectFrom('refund_limits')
    .selectAll()
    .where('debit_id', '=', debit.id)
    .executeTakeFirst();
  return { debit, refunds, state: refundability(debit, refunds, limit) };
}

/** A debit of anybody. @throws ApiError debitNotFound */
export async function anyDebit(tx: Tx, id: string): Promise<DebitRow> {
  const debit = await debitById(tx, id);
  if (!debit) throw new ApiError('debitNotFound');
  return debit;
}

/** What becomes of the refunds of a debit, by the card it was made with. */
export async function behaviourFor(tx: Tx, debit: DebitRow): Promise<TestCard['refund']> {
  return findTestCard((await cardOfDebit(tx, debit)).test_card)?.refund;
}

export function refundById(tx: Tx, id: string): Promise<RefundRow | undefined> {
  return tx.selectFrom('refunds').selectAll().where('id', '=', id).executeTakeFirst();
}

import { ApiError } from '../http/errors.ts';
import type { DebitFacts } from '../saved-cards/debit-lanes.ts';
import type { RefundRow } from '../store/rows/refunds.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import type { Tx } from '../store/schema.ts';
import { type Refundability, refundability } from './refundability.ts';

/** What became of a debit's money. */
export interface DebitRefunds {
  debit: DebitRow;
  state: Refundability;
  /** The oldest first. */
  refunds: readonly RefundRow[];
}

export function refundsIn({ debit, refunds, limit }: DebitFacts): DebitRefunds {
  return { debit, refunds, state: refundability(debit, refunds, limit) };
}

/** The facts of a debit of any account. @throws ApiError debitNotFound */
export function existing(facts: DebitFacts | undefined): DebitFacts {
  if (!facts) throw new ApiError('debitNotFound');
  return facts;
}

/** Which debit a refund is of, whatever its state. */
export async function debitOfRefund(tx: Tx, id: string): Promise<string | undefined> {
  const row = await tx.selectFrom('refunds').select('debit_id').where('id', '=', id).executeTakeFirst();
  return row?.debit_id;
}

/** Every refund that goes on by itself. */
export function readDue(tx: Tx): Promise<Pick<RefundRow, 'id' | 'debit_id' | 'status' | 'due_at'>[]> {
  return tx
    .selectFrom('refunds')
    .select(['id', 'debit_id', 'status', 'due_at'])
    .where('due_at', 'is not', null)
    .orderBy('id')
    .execute();
}

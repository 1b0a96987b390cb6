import { mostAtOnce } from '../engine/due.ts';
import { ApiError } from '../http/errors.ts';
import type { DebitFacts } from '../saved-cards/debit-facts.ts';
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

/** The refunds that go on by themselves; those that do before a moment, the first first. */
export function readDue(
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

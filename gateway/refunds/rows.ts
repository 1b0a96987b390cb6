import { computeDebitRefundAmounts, type DebitRefundAmounts } from '../saved-cards/core/refundability.ts';
import type { StoredDebit } from '../saved-cards/core/step.ts';
import type { RefundRow } from '../store/rows/refunds.ts';
import type { DebitRow } from '../store/rows/saved-cards.ts';
import type { Tx } from '../store/schema.ts';

/** A debit with its refunds, and the amounts that can still be refunded. */
export interface DebitWithRefunds {
  debit: DebitRow;
  state: DebitRefundAmounts;
  /** The refunds, the oldest first. */
  refunds: readonly RefundRow[];
}

export function makeDebitWithRefunds(stored: StoredDebit): DebitWithRefunds {
  const { debit, refunds } = stored;
  return { debit, refunds, state: computeDebitRefundAmounts(stored) };
}

/** Gives the debit to which a refund belongs. */
export async function readDebitIdOfRefund(tx: Tx, id: string): Promise<string | undefined> {
  const row = await tx.selectFrom('refunds').select('debit_id').where('id', '=', id).executeTakeFirst();
  return row?.debit_id;
}

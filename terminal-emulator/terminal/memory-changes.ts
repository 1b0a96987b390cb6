import type { ChangeOf } from '../../shared/database/change.ts';
import type { Reversal } from './memory-queries.ts';
import type { MemorySchema } from './memory-schema.ts';

/** The changes that write `row` in place of the row that `where` finds, if there is one. */
export function changesToReplaceRow<Table extends keyof MemorySchema>(
  table: Table,
  where: object,
  row: object,
): ChangeOf<MemorySchema>[] {
  return [
    { delete: table, where, rows: 'any' },
    { insert: table, row },
  ] as ChangeOf<MemorySchema>[];
}

/** The changes that store a reversal until the host has answered it. A payment has at most one. */
export function changesToStoreReversal(
  poiId: string,
  transactionId: string,
  { reason, attemptId }: Omit<Reversal, 'transactionId'>,
): ChangeOf<MemorySchema>[] {
  const key = { poi_id: poiId, transaction_id: transactionId };
  return changesToReplaceRow('reversal', key, { ...key, reason, attempt_id: attemptId ?? null });
}

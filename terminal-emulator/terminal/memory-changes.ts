import type { DatabaseChange } from '../../shared/database/change.ts';
import type { PendingReversal } from './memory-queries.ts';
import type { MemorySchema } from './memory-schema.ts';

/** Returns the changes that write `row`. If `where` finds a row, the changes also delete that row. */
export function changesToReplaceRow<Table extends keyof MemorySchema>(
  table: Table,
  where: object,
  row: object,
): DatabaseChange<MemorySchema>[] {
  return [
    { delete: table, where, rows: 'any' },
    { insert: table, row },
  ] as DatabaseChange<MemorySchema>[];
}

/** Returns the changes that store a reversal until the host has answered it. A payment has at most one reversal. */
export function changesToStoreReversal(
  poiId: string,
  transactionId: string,
  { reason, attemptId }: Omit<PendingReversal, 'transactionId'>,
): DatabaseChange<MemorySchema>[] {
  const key = { poi_id: poiId, transaction_id: transactionId };
  return changesToReplaceRow('reversal', key, { ...key, reason, attempt_id: attemptId ?? null });
}

/** Returns the changes which note that the gateway has these outcomes. */
export function changesToNoteDelivered(
  outcomes: readonly { poiId: string; serviceId: string }[],
): DatabaseChange<MemorySchema>[] {
  return outcomes.map(({ poiId, serviceId }) => ({
    delete: 'undelivered',
    where: { poi_id: poiId, service_id: serviceId },
    rows: 'any',
  }));
}

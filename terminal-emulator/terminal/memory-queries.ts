import type { Kysely } from 'kysely';
import { createQueryPreparer } from '../../shared/database/prepared.ts';
import type { GiveBackKind } from '../../shared/emulator/screen.ts';
import { maxMessageRefusals } from '../../shared/transport/link.ts';
import type { PaymentReferences } from '../payment/payment-order.ts';
import type { PaymentResult } from '../payment/payment-response.ts';
import type { MemorySchema, ReversalReason } from './memory-schema.ts';

export interface RememberedOutcome {
  readonly serviceId: string;
  readonly givesBack: GiveBackKind | undefined;
  /** The JSON text of a PaymentResponse. For a reversal, it is the text of a ReversalResponse. */
  readonly response: string;
}

export interface PendingReversal {
  readonly transactionId: string;
  /** The authorization attempt that the host must reverse. It is undefined if version 0.1.0 stored the reversal. */
  readonly attemptId: string | undefined;
  readonly reason: ReversalReason;
  /** How many times the host could not read the reversal. */
  readonly refusals?: number;
}

/** A payment without an outcome. `authorizing` means that the host may have received the payment's request. */
export interface PaymentUnderWay {
  readonly sale: PaymentReferences;
  readonly phase: 'begun' | 'authorizing';
  readonly attemptId: string | undefined;
  readonly paymentResult: PaymentResult | undefined;
}

const prepared = createQueryPreparer<MemorySchema>();
export const selectOutcomeByServiceId = prepared((db, arg: (name: 'poiId' | 'serviceId') => never) =>
  db
    .selectFrom('outcome')
    .select(['at', 'gives_back', 'response', 'refusals'])
    .where('poi_id', '=', arg('poiId'))
    .where('service_id', '=', arg('serviceId')),
);

export const selectPaymentUnderWay = prepared((db, arg: (name: 'poiId') => string) =>
  db.selectFrom('under_way').selectAll().where('poi_id', '=', arg('poiId')),
);

export async function readPaymentUnderWay(
  db: Kysely<MemorySchema>,
  poiId: string,
): Promise<PaymentUnderWay | undefined> {
  const [row] = await selectPaymentUnderWay(db, { poiId });
  return (
    row && {
      sale: JSON.parse(row.sale) as PaymentReferences,
      phase: row.phase,
      attemptId: row.attempt_id ?? undefined,
      paymentResult: row.payment_result ? (JSON.parse(row.payment_result) as PaymentResult) : undefined,
    }
  );
}

export async function readUndeliveredOutcomes(
  db: Kysely<MemorySchema>,
  poiId: string,
): Promise<RememberedOutcome[]> {
  const rows = await db
    .selectFrom('undelivered')
    .innerJoin('outcome', (join) =>
      join
        .onRef('outcome.poi_id', '=', 'undelivered.poi_id')
        .onRef('outcome.service_id', '=', 'undelivered.service_id'),
    )
    .select(['outcome.service_id as serviceId', 'outcome.gives_back', 'outcome.response'])
    .where('undelivered.poi_id', '=', poiId)
    .orderBy('outcome.at')
    .execute();
  return rows.map(({ gives_back, ...row }) => ({ ...row, givesBack: gives_back ?? undefined }));
}

export async function readUnansweredReversals(
  db: Kysely<MemorySchema>,
  poiId: string,
): Promise<PendingReversal[]> {
  const rows = await db.selectFrom('reversal').selectAll().where('poi_id', '=', poiId).execute();
  return rows.map(({ transaction_id, attempt_id, reason, refusals }) => ({
    transactionId: transaction_id,
    attemptId: attempt_id ?? undefined,
    reason,
    refusals,
  }));
}

async function gatewayHasOutcome(
  db: Kysely<MemorySchema>,
  poiId: string,
  transactionId: string,
): Promise<boolean> {
  const outcome = await db
    .selectFrom('outcome')
    .leftJoin('undelivered', (join) =>
      join
        .onRef('undelivered.poi_id', '=', 'outcome.poi_id')
        .onRef('undelivered.service_id', '=', 'outcome.service_id'),
    )
    .select('outcome.service_id')
    .where('outcome.poi_id', '=', poiId)
    .where('outcome.transaction_id', '=', transactionId)
    .where('undelivered.service_id', 'is', null)
    .where('outcome.refusals', '<', maxMessageRefusals)
    .executeTakeFirst();
  return outcome !== undefined;
}

/**
 * Counts another refusal of an outcome by the gateway. Resolves to the number of refusals. When the maximum number of
 * refusals is reached, the outcome is put aside: it is not sent any more.
 */
export async function recordOutcomeRefusal(
  db: Kysely<MemorySchema>,
  poiId: string,
  serviceId: string,
): Promise<number> {
  const row = await db
    .updateTable('outcome')
    .set(({ eb }) => ({ refusals: eb('refusals', '+', 1) }))
    .where('poi_id', '=', poiId)
    .where('service_id', '=', serviceId)
    .returning('refusals')
    .executeTakeFirst();
  const refusals = row?.refusals ?? maxMessageRefusals;
  if (refusals >= maxMessageRefusals)
    await db
      .deleteFrom('undelivered')
      .where('poi_id', '=', poiId)
      .where('service_id', '=', serviceId)
      .execute();
  return refusals;
}

/**
 * Counts another refusal of a reversal by the host. When the maximum number of refusals is reached, or at any later
 * refusal, the reversal is put aside if the gateway has the payment's outcome.
 */
export async function recordReversalRefusal(
  db: Kysely<MemorySchema>,
  poiId: string,
  transactionId: string,
): Promise<{ refusals: number; putAside: boolean }> {
  const row = await db
    .updateTable('reversal')
    .set(({ eb }) => ({ refusals: eb('refusals', '+', 1) }))
    .where('poi_id', '=', poiId)
    .where('transaction_id', '=', transactionId)
    .returning('refusals')
    .executeTakeFirst();
  const refusals = row?.refusals ?? maxMessageRefusals;
  const putAside = refusals >= maxMessageRefusals && (await gatewayHasOutcome(db, poiId, transactionId));
  if (putAside)
    await db
      .deleteFrom('reversal')
      .where('poi_id', '=', poiId)
      .where('transaction_id', '=', transactionId)
      .execute();
  return { refusals, putAside };
}

/**
 * Reads the ServiceIDs that a terminal has used. They are the ServiceIDs of its outcomes, and the ServiceID of the
 * payment under way.
 */
export async function readUsedServiceIds(db: Kysely<MemorySchema>, poiId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('outcome')
    .select('service_id')
    .where('poi_id', '=', poiId)
    .unionAll(db.selectFrom('under_way').select('service_id').where('poi_id', '=', poiId))
    .execute();
  return rows.map(({ service_id }) => service_id);
}

/** Reads the times at which outcomes were stored, but no times after `latest`. The latest time comes first. */
export async function readOutcomeTimesUntil(db: Kysely<MemorySchema>, latest: number): Promise<number[]> {
  const rows = await db
    .selectFrom('outcome')
    .select('at')
    .distinct()
    .where('at', '<=', latest)
    .orderBy('at', 'desc')
    .execute();
  return rows.map(({ at }) => at);
}

/**
 * Deletes the outcomes that were stored at the time `oldest` or earlier, except those that the gateway does not have
 * yet.
 */
export async function deleteOutcomesUntil(db: Kysely<MemorySchema>, oldest: number): Promise<void> {
  await db
    .deleteFrom('outcome')
    .where('at', '<=', oldest)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('undelivered')
            .select('undelivered.service_id')
            .whereRef('undelivered.poi_id', '=', 'outcome.poi_id')
            .whereRef('undelivered.service_id', '=', 'outcome.service_id'),
        ),
      ),
    )
    .execute();
}

export type OutcomeKey = Pick<MemorySchema['outcome'], 'poi_id' | 'service_id'>;

/** Reads the keys of outcomes in the order of the keys, beginning after the key `after`. */
export function readOutcomeKeys(
  db: Kysely<MemorySchema>,
  after: OutcomeKey | undefined,
  limit: number,
): Promise<OutcomeKey[]> {
  const keys = db
    .selectFrom('outcome')
    .select(['poi_id', 'service_id'])
    .orderBy('poi_id')
    .orderBy('service_id')
    .limit(limit);
  if (!after) return keys.execute();
  return keys
    .where((eb) => eb(eb.refTuple('poi_id', 'service_id'), '>', eb.tuple(after.poi_id, after.service_id)))
    .execute();
}

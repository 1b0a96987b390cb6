import type { DeliveredEventType } from '../events/schemas.ts';
import {
  type Pagination,
  readRowById,
  selectPageLatestFirst,
  whereEqualIfGiven,
} from '../store/read-rows.ts';
import type { WebhookAttemptRow, WebhookDeliveryRow, WebhookRow } from '../store/rows/webhooks.ts';
import type { RowChange, Tx } from '../store/schema.ts';

/** The maximum number of notices in one reading. */
const mostNotices = 1_000;

/** A delivery that waits, with the columns that are kept in memory. */
export type PendingDelivery = Pick<
  WebhookDeliveryRow,
  'id' | 'webhook_id' | 'resource_id' | 'tries' | 'due_at'
> & {
  /** The time at which this process chose `due_at`; absent if another process chose it. */
  decidedAt?: number;
};

/** Reads all deliveries that have not ended, in the order of their events. */
export function readPendingDeliveries(tx: Tx): Promise<PendingDelivery[]> {
  return tx
    .selectFrom('webhook_deliveries')
    .select(['id', 'webhook_id', 'resource_id', 'tries', 'due_at'])
    .where('state', '=', 'pending')
    .orderBy('event_seq')
    .execute();
}

/** Reads the deliveries for which there are notices, in the order of their events. */
export function readDeliveriesToWake(
  tx: Tx,
): Promise<(PendingDelivery & { notice: string; state: WebhookDeliveryRow['state'] })[]> {
  return tx
    .selectFrom('delivery_notices as notices')
    .innerJoin('webhook_deliveries as deliveries', 'deliveries.id', 'notices.delivery_id')
    .select([
      'notices.id as notice',
      'deliveries.id',
      'webhook_id',
      'resource_id',
      'tries',
      'due_at',
      'state',
    ])
    .orderBy('event_seq')
    .limit(mostNotices)
    .execute();
}

export function readDeliveryById(tx: Tx, id: string): Promise<WebhookDeliveryRow | undefined> {
  return readRowById(tx, 'webhook_deliveries', id);
}

/** Gives the change that ends all waiting deliveries of a webhook. */
export function makeFailDeliveriesChange(webhookId: string, why: string, now: number): RowChange {
  const where = { webhook_id: webhookId, state: 'pending' } as const;
  const set = { state: 'failed', why, due_at: null, ended_at: now } as const;
  return { update: 'webhook_deliveries', where, set, rows: 'any' };
}

/** A delivery with all data that are shown about it. */
export interface DeliveryWithAttempts {
  delivery: WebhookDeliveryRow;
  type: DeliveredEventType;
  /** The attempts, the earliest first. */
  attempts: WebhookAttemptRow[];
}

/** Reads a page of deliveries, the latest first. Each delivery has all its attempts. */
export async function listDeliveries(
  tx: Tx,
  filter: Pagination & {
    id?: string;
    webhookId?: string;
    eventId?: string;
    resourceId?: string;
    state?: WebhookDeliveryRow['state'];
  },
): Promise<DeliveryWithAttempts[]> {
  const deliveries = tx
    .selectFrom('webhook_deliveries')
    .innerJoin('events', 'events.id', 'webhook_deliveries.event_id')
    .selectAll('webhook_deliveries')
    .select('events.type as event_type');
  const rows = await whereEqualIfGiven(selectPageLatestFirst(deliveries, 'webhook_deliveries.id', filter), {
    'webhook_deliveries.id': filter.id,
    'webhook_deliveries.webhook_id': filter.webhookId,
    'webhook_deliveries.event_id': filter.eventId,
    'webhook_deliveries.resource_id': filter.resourceId,
    'webhook_deliveries.state': filter.state,
  }).execute();
  const attempts = await attemptsOf(
    tx,
    rows.map((row) => row.id),
  );
  return rows.map(({ event_type, ...delivery }) => ({
    delivery,
    type: event_type as DeliveredEventType,
    attempts: attempts.filter((attempt) => attempt.delivery_id === delivery.id),
  }));
}

async function attemptsOf(tx: Tx, deliveryIds: string[]): Promise<WebhookAttemptRow[]> {
  if (deliveryIds.length === 0) return [];
  return tx
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', 'in', deliveryIds)
    .orderBy('id')
    .execute();
}

export function readWebhooks(tx: Tx): Promise<WebhookRow[]> {
  return tx.selectFrom('webhooks').selectAll().orderBy('created_at').orderBy('id').execute();
}

import type { WebhookDeliveryRow } from '../store/rows/webhooks.ts';

/** Makes a delivery that waits for its first attempt. `of` replaces some of its columns. */
export function makeDeliveryRow(of: Partial<WebhookDeliveryRow> = {}): WebhookDeliveryRow {
  return {
    id: 'delivery',
    account_id: 'shop',
    environment: 'sandbox',
    webhook_id: 'hook',
    event_id: 'event',
    event_seq: 1,
    resource_id: 'debit',
    state: 'pending',
    why: 'the delivery waits for earlier deliveries',
    tries: 0,
    due_at: 0,
    created_at: 0,
    ended_at: null,
    ...of,
  };
}

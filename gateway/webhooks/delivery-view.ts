import { isoTime, isoTimeOrNull } from '../../shared/clock.ts';
import type { DeliveryWithAttempts } from './rows.ts';
import type { WebhookDelivery } from './schemas.ts';

/** Makes the form in which the control API shows a delivery. */
export function makeDeliveryView({ delivery, type, attempts }: DeliveryWithAttempts): WebhookDelivery {
  return {
    id: delivery.id,
    webhookId: delivery.webhook_id,
    eventId: delivery.event_id,
    type,
    resourceId: delivery.resource_id,
    state: delivery.state,
    why: delivery.why,
    nextAttemptAt: isoTimeOrNull(delivery.due_at),
    createdAt: isoTime(delivery.created_at),
    endedAt: isoTimeOrNull(delivery.ended_at),
    attempts: attempts.map(({ at, duration_ms: durationMs, by, status, error, answer }) => ({
      at: isoTime(at),
      durationMs,
      by,
      status,
      error,
      answer,
    })),
  };
}

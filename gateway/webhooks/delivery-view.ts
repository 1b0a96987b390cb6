import { isoTime } from '../../shared/clock.ts';
import type { DeliveryWithAttempts } from './rows.ts';
import type { WebhookDelivery } from './schemas.ts';

/** A delivery as the control API shows it. */
export function deliveryView({ delivery, type, attempts }: DeliveryWithAttempts): WebhookDelivery {
  const timeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms));
  return {
    id: delivery.id,
    webhookId: delivery.webhook_id,
    eventId: delivery.event_id,
    type,
    resourceId: delivery.resource_id,
    state: delivery.state,
    why: delivery.why,
    nextAttemptAt: timeOrNull(delivery.due_at),
    createdAt: isoTime(delivery.created_at),
    endedAt: timeOrNull(delivery.ended_at),
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

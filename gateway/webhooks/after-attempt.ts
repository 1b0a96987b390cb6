import type { Runtime } from '../../shared/runtime.ts';
import type { WebhookAttemptRow, WebhookDeliveryRow } from '../store/rows/webhooks.ts';
import type { Posted } from './post.ts';
import { retryDelayMs } from './retry-schedule.ts';

/** What an attempt changes about its delivery (B107). One by hand, or a copy, only ever helps. */
export function afterAttempt(
  delivery: WebhookDeliveryRow,
  by: WebhookAttemptRow['by'],
  { status, error }: Posted,
  { clock, random, timeouts }: Pick<Runtime, 'clock' | 'random' | 'timeouts'>,
): Partial<WebhookDeliveryRow> {
  const now = clock.now();
  const tries = delivery.tries + (by === 'schedule' ? 1 : 0);
  const why = error ?? `the receiver answered ${status}`;
  if (status !== undefined && status >= 200 && status < 300)
    return { state: 'delivered', why, tries, due_at: null, ended_at: now };
  if (by !== 'schedule' || delivery.state !== 'pending') return { tries };
  const delayMs = retryDelayMs(tries, timeouts.webhookRetryUnitMs, random);
  if (delayMs === undefined || status === 410)
    return { state: 'failed', why, tries, due_at: null, ended_at: now };
  return { why, tries, due_at: now + delayMs };
}

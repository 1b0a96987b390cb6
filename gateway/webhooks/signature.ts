import { Webhook } from 'standardwebhooks';
import { type Clock, isoTime } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { adyenResultType } from '../events/schemas.ts';
import type { Deliverable, StoredEvent } from '../events/stored-event.ts';

/** Makes a new secret in the form of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export function makeWebhookSecret(random: Random): string {
  return `whsec_${Buffer.from(random.bytes(32)).toString('base64')}`;
}

/** A message to a webhook, with the headers that sign it (B106). */
export interface WebhookMessage {
  headers: Record<string, string>;
  body: string;
}

/**
 * Makes the message for a stored event or result. A result is sent unchanged and unsigned, because the receivers of
 * results expect this.
 */
export function makeWebhookMessage(
  event: Deliverable,
  secrets: readonly string[],
  wall: Clock,
): WebhookMessage {
  if (event.type !== adyenResultType) return makeSignedEventMessage(event, secrets, wall);
  const headers = { 'content-type': 'application/json', 'user-agent': 'pinpad' };
  return { headers, body: JSON.stringify(event.data) };
}

/**
 * Makes the message for an event, signed with each of the secrets. The timestamp in the header is the real time
 * (`wall`). Receivers compare this timestamp with their own clock. The timestamp in the body is the time of the event
 * by the gateway's clock.
 */
export function makeSignedEventMessage(
  event: Pick<StoredEvent, 'id' | 'type' | 'createdAt' | 'data'>,
  secrets: readonly string[],
  wall: Clock,
): WebhookMessage {
  const { id, type, createdAt, data } = event;
  const body = JSON.stringify({ type, timestamp: isoTime(createdAt), data });
  const sentAt = new Date(wall.now());
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': 'pinpad',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(' '),
    },
    body,
  };
}

/**
 * Gives the clock for the timestamps in webhook headers. This is the real clock, even if the gateway's clock is
 * virtual, because receivers compare these timestamps with their own clock.
 */
export function selectTimestampClock({ clock, realClock }: Pick<Runtime, 'clock' | 'realClock'>): Clock {
  return clock.virtual ? realClock : clock;
}

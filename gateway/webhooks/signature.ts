import { Webhook } from 'standardwebhooks';
import { type Clock, isoTime } from '../../shared/clock.ts';
import type { Random } from '../../shared/random.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { resultType } from '../events/schemas.ts';
import type { Deliverable, StoredEvent } from '../events/stored-event.ts';

/** A new secret of the Standard Webhooks form: `whsec_` and 32 random bytes in base64. */
export function makeWebhookSecret(random: Random): string {
  return `whsec_${Buffer.from(random.bytes(32)).toString('base64')}`;
}

/** The message that is sent for an event (B106). */
export interface SignedMessage {
  headers: Record<string, string>;
  body: string;
}

/**
 * Makes the message of a stored event. A result of another API is sent as it is and unsigned, as its receiver expects
 * it.
 */
export function webhookMessageOf(event: Deliverable, secrets: readonly string[], wall: Clock): SignedMessage {
  if (event.type !== resultType) return signedMessage(event, secrets, wall);
  const headers = { 'content-type': 'application/json', 'user-agent': 'pinpad' };
  return { headers, body: JSON.stringify(event.data) };
}

/**
 * Makes the message of an event, signed with each of the secrets.
 *
 * Receivers compare the header's timestamp with the time on their own `wall`; the body's timestamp is when the event
 * happened by the gateway's clock.
 */
export function signedMessage(
  event: Pick<StoredEvent, 'id' | 'type' | 'createdAt' | 'data'>,
  secrets: readonly string[],
  wall: Clock,
): SignedMessage {
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

/** The clock that receivers use: the real one, even if the gateway's clock is virtual. */
export function wallClock({ clock, realClock }: Pick<Runtime, 'clock' | 'realClock'>): Clock {
  return clock.virtual ? realClock : clock;
}

import type { Runtime } from '../../shared/runtime.ts';
import type { StoredEvent } from '../events/stored-event.ts';
import {
  makeSignedEventMessage,
  makeWebhookSecret,
  selectTimestampClock,
  type WebhookMessage,
} from './signature.ts';

/** The identifier in a forged message. No debit, contact, card or bank account has this identifier. */
const unknownId = '00000000-0000-4000-8000-000000000000';

/**
 * Makes a message that a sender without the webhook's secret could send. The message is valid except for its
 * signature. If a receiver answers the message with 2xx, the receiver does not check signatures (B106).
 */
export function makeForgedMessage(runtime: Runtime): WebhookMessage {
  const { clock, identifiers } = runtime;
  const data = {
    transactionId: unknownId,
    status: 'paid' as const,
    amount: '1.00',
    contactId: unknownId,
    fromCreditCardId: unknownId,
    toBankAccountId: unknownId,
    statement: 'FORGED',
  };
  const event = {
    id: identifiers.next(),
    type: 'payments.debits.paid' as const,
    createdAt: clock.now(),
    data,
  };
  return signWithWrongSecret(event, runtime);
}

/**
 * Makes a forged copy of an event, with another amount and another id. If the copy had the same id, a receiver might
 * ignore it as a repetition. Then the answer would not show whether the receiver accepts forged events.
 */
export function makeForgedCopy(event: StoredEvent, runtime: Runtime): WebhookMessage {
  const data = { ...event.data, amount: `9${event.data.amount}` };
  const forged = { ...event, id: runtime.identifiers.next(), data };
  return signWithWrongSecret(forged, runtime);
}

/** Signs a message with a secret that its receiver does not know. */
function signWithWrongSecret(
  event: Parameters<typeof makeSignedEventMessage>[0],
  runtime: Runtime,
): WebhookMessage {
  return makeSignedEventMessage(event, [makeWebhookSecret(runtime.random)], selectTimestampClock(runtime));
}

import { hash } from 'node:crypto';
import { stringifyCanonicalJson } from '../../../shared/canonical-json.ts';
import type { MessageHeader } from './message.ts';

/** The fields that name a payment: the till, the terminal, and the till's number for the message. */
type MessageName = Pick<MessageHeader, 'SaleID' | 'POIID' | 'ServiceID'>;

/**
 * Makes a payment's key for the column of idempotency keys. The key begins with a line break. No key of the native API
 * begins with a line break (B58), so a search by key in that API never finds this payment.
 */
export function makeAdyenIdempotencyKey({ SaleID, POIID, ServiceID }: MessageName): string {
  return `\nadyen ${words(ServiceID, POIID, SaleID)}`;
}

/**
 * Makes the name of a sale from the till's transaction. All messages that pay the same transaction get the same name.
 */
export function makeSaleReference(SaleID: string, TransactionID: string): string {
  return words(SaleID, TransactionID);
}

/** Joins texts with spaces. Spaces within a text are encoded, so that the parts can be told apart. */
function words(...texts: string[]): string {
  return texts.map((text) => text.replaceAll(/[%\s]/g, encodeURIComponent)).join(' ');
}

/**
 * Hashes the parts of a message that must be the same when the message is repeated: all parts except the time stamps
 * (B453).
 */
export function fingerprintMessage(message: unknown): string {
  return hash('sha256', stringifyCanonicalJson(withoutTimeStamps(message)), 'base64url');
}

function withoutTimeStamps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimeStamps);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'TimeStamp')
      .map(([name, field]) => [name, withoutTimeStamps(field)]),
  );
}

import { hash } from 'node:crypto';
import { canonicalJson } from '../../../shared/canonical-json.ts';
import type { MessageHeader } from './message.ts';

/** The name of a payment: the till, the terminal and the till's number of the message. */
type MessageName = Pick<MessageHeader, 'SaleID' | 'POIID' | 'ServiceID'>;

/**
 * A payment's key in the column of idempotency keys. The key begins with a line break, which no key of the payments API
 * has (B58), so look-ups by key in that API never find such a payment.
 */
export function keyOf({ SaleID, POIID, ServiceID }: MessageName): string {
  return `\nadyen ${words(ServiceID, POIID, SaleID)}`;
}

/** The name of a sale: the till's transaction, which several messages may pay. */
export function saleOf(SaleID: string, TransactionID: string): string {
  return words(SaleID, TransactionID);
}

/** Joins texts with spaces. Spaces within a text are encoded, so that the parts stay apart. */
function words(...texts: string[]): string {
  return texts.map((text) => text.replaceAll(/[%\s]/g, encodeURIComponent)).join(' ');
}

/**
 * Hashes what two messages of one name must share: everything but their time stamps, which a repeated message may set
 * anew (B453).
 */
export function fingerprintOf(message: unknown): string {
  return hash('sha256', canonicalJson(withoutTimeStamps(message)), 'base64url');
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

import { createHash } from 'node:crypto';

const digits = 36n;
const length = 10;

/**
 * The nexo ServiceID of a payment: ten letters and digits, unique for its terminal for 48 hours and longer. Made
 * from the payment's identifier rather than drawn by chance, so that it is new even where a seed starts over.
 */
export function serviceIdOf(paymentId: string): string {
  const hash = createHash('sha256').update(paymentId).digest();
  const number = hash.readBigUInt64BE() % digits ** BigInt(length);
  return number.toString(36).toUpperCase().padStart(length, '0');
}

import { maskCardNumbers } from '../masking/card-numbers.ts';

/**
 * Masks card numbers in the reason for closing a connection, and shortens the reason, because WebSocket allows at most
 * 123 bytes.
 */
export function makeSafeCloseReason(reason: string): string {
  return Buffer.from(maskCardNumbers(reason)).subarray(0, 120).toString();
}
